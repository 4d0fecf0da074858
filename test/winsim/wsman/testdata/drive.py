"""Drives a WinRM server by pywinrm: reads what to do as JSON, prints what came of it.

protocol: arguments of Protocol; shell: of open_shell; commands: a list of
[command, arguments, input or null]. The result is a list of [stdout, stderr, code],
or the error's class and text.
"""

import base64
import json
import sys

import xmltodict
from cryptography.hazmat.backends import default_backend
from winrm.protocol import Protocol

SHELL = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell"


def send(protocol, shell, command, text):
    """Send input, as one piece that is the last; pywinrm has no call for it."""
    message = {
        "env:Envelope": protocol._get_soap_header(
            resource_uri=SHELL + "/cmd", action=SHELL + "/Send", shell_id=shell
        )
    }
    message["env:Envelope"]["env:Body"] = {
        "rsp:Send": {
            "rsp:Stream": {
                "@Name": "stdin",
                "@CommandId": command,
                "@End": "true",
                "#text": base64.b64encode(text.encode()).decode(),
            }
        }
    }
    protocol.send_message(xmltodict.unparse(message))


def run(protocol, shell, command, arguments, text):
    running = protocol.run_command(shell, command, arguments)
    if text is not None:
        send(protocol, shell, running, text)
    stdout, stderr, code = protocol.get_command_output(shell, running)
    protocol.cleanup_command(shell, running)
    return [stdout.decode(), stderr.decode(), code]


def main():
    default_backend()  # loads the old hashes of OpenSSL, of which NTLM needs MD4
    ask = json.load(sys.stdin)
    try:
        protocol = Protocol(**ask["protocol"])
        shell = protocol.open_shell(**(ask["shell"] or {}))
        results = [run(protocol, shell, *command) for command in ask["commands"] or []]
        protocol.close_shell(shell)
    except Exception as error:
        print(json.dumps({"error": type(error).__name__, "text": str(error)}))
        return
    print(json.dumps({"results": results}))


main()
