"""A TCP proxy that keeps what passes: NAME.sent from clients, NAME.back to them. Its port is in NAME.port.

usage: byte_tee.py NAME HOST:PORT
"""
import os
import socket
import sys
import threading

name, to = sys.argv[1:3]
host, port = to.rsplit(":", 1)


def pump(source, target, kept):
    while True:
        try:
            data = source.recv(65536)
        except OSError:
            data = b""
        if data:
            # Opened for each piece: a test may take the file away to begin anew.
            with open(kept, "ab") as file:
                file.write(data)
        try:
            target.sendall(data) if data else target.shutdown(socket.SHUT_WR)
        except OSError:
            return
        if not data:
            return


listener = socket.create_server(("127.0.0.1", 0))
with open(f"{name}.port.new", "w") as file:
    file.write(str(listener.getsockname()[1]))
os.rename(f"{name}.port.new", f"{name}.port")
while True:
    client, _ = listener.accept()
    try:
        server = socket.create_connection((host, int(port)))
    except OSError:
        client.close()
        continue
    threading.Thread(target=pump, args=(client, server, f"{name}.sent"), daemon=True).start()
    threading.Thread(target=pump, args=(server, client, f"{name}.back"), daemon=True).start()
