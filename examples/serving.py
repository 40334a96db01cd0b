"""An agent behind HTTP: a task of a person whom a token names, and the changes that the person approves.

Options are the server's, such as `--lm openai/gpt-4o-mini`. It needs the extra `serve`.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import httpx
import jwt

import worksmith as ws

SHOP = Path(__file__).with_name("shop")
SECRET = "a secret of at least thirty-two bytes"
ASKED = 'Cancel order O-205 with the note "Ordered twice".'

suite = ws.Suite.open(SHOP)
optimizer = ws.KNN(accept="best", lm="gold")  # the gold plans of the train tasks become demonstrations
compiled = optimizer.compile(ws.Agent("act", suite.env), trainset=suite.train, valset=suite.dev)
compiled.compilation.save("compiled.json")

command = [
    sys.executable,
    "-m",
    "worksmith.cli",
    "serve",
    "program",
    "compiled.json",
    str(SHOP),
    *sys.argv[1:],
]
command += ["--port", "0", "--json", "--no-track"]
command += ["--jwt-secret-env", "SHOP_SECRET", "--audience", "shop", "--issuer", "me"]
server = subprocess.Popen(command, env={**os.environ, "SHOP_SECRET": SECRET}, stdout=subprocess.PIPE)
try:
    assert server.stdout
    url = json.loads(server.stdout.readline())["url"]  # it listens
    claims = {"sub": "ada", "aud": "shop", "iss": "me", "exp": time.time() + 600}
    token = {"Authorization": f"Bearer {jwt.encode(claims, SECRET, 'HS256')}"}
    client = httpx.Client(base_url=url, headers=token, timeout=120, trust_env=False)

    done = client.post("/tasks", json={"task": ASKED}).json()
    print("proposed:", json.dumps(done["changes"]["changes"], indent=1))
    digest = {"digest": done["changes"]["digest"]}
    print("approved:", client.post(f"/changes/{done['changes']['id']}/approve", json=digest).json()["status"])
finally:
    server.terminate()
    server.wait()
