# host.py runs the payload of a module on the host, from standard input. kinit sets PAYLOAD and
# CONTENT before it, in base64.
import sys
sys.path[:] = [folder for folder in sys.path if folder]  # not the working directory
import base64
import os
import shutil
import signal
import tempfile


def end(number, frame):
    sys.exit(128 + number)  # so that what is temporary is removed


signal.signal(signal.SIGTERM, end)
signal.signal(signal.SIGHUP, end)
folder = None
try:
    if CONTENT is not None:
        folder = tempfile.mkdtemp(prefix="kinit-")
        os.environ["KINIT_CONTENT"] = os.path.join(folder, "content")
        with os.fdopen(os.open(os.environ["KINIT_CONTENT"], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(base64.b64decode(CONTENT))
    exec(compile(base64.b64decode(PAYLOAD), "module", "exec"))
finally:
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
