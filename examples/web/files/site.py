"""The site: one page, with the greeting that the database has at that moment."""

import base64
import json
import os
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME = os.environ["SITE_NAME"]
RELEASE = os.environ["SITE_RELEASE"]
DATABASE = os.environ["SITE_DATABASE"]


def greeting():
    """Asks etcd by its JSON interface, where keys and values are in base64."""
    key = base64.b64encode(b"greeting").decode()
    request = urllib.request.Request(DATABASE + "/v3/kv/range", json.dumps({"key": key}).encode())
    with urllib.request.urlopen(request, timeout=5) as answer:
        found = json.load(answer)["kvs"][0]
    return base64.b64decode(found["value"]).decode()


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            status, text = 200, f"release {RELEASE} on {NAME}: {greeting()}\n"
        except (OSError, KeyError) as problem:
            status, text = 503, f"no greeting: {problem}\n"
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("", 8080), Page).serve_forever()
