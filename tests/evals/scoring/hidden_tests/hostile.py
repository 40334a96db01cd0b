# ruff: noqa: E501
"""Code out to pass or to harm."""

from __future__ import annotations

PASSING = {
    "exit": "import sys\nsys.exit(0)\n",
    "exit at once": "import sys\nsys.modules['os']._exit(0)\n",
    "raise SystemExit": "raise SystemExit\n",
    "claim": 'import sys\nsys.modules["posix"].write(1, b\'[{"value": "4"}]\')\nsys.modules["posix"]._exit(0)\n',
    "print": 'print(\'[{"value": "4"}]\')\n',
    "equal to all": "class Any:\n    __eq__ = lambda self, other: True\n\n\ndef {name}(*given, **more):\n    return Any()\n",
    "shown as right": "class Any(int):\n    __repr__ = lambda self: '4'\n\n\ndef {name}(*given, **more):\n    return Any()\n",
    "patch json": "import json\njson.dumps = lambda *given, **more: '[]'\n",
    "patch the harness": "import sys\nsys.modules['__main__'].outcome = lambda call: {'value': '4'}\n",
    "patch eval": "import builtins\nbuiltins.eval = lambda *given: 4\n",
    "read the parent": "def {name}(*given, **more):\n    return open('/proc/self/status').read()\n",
    "interrupt": "def {name}(*given, **more):\n    raise KeyboardInterrupt\n",
    "lift the limits": "import sys\nsys.modules['resource'].setrlimit(2, (0, 0))\n",
    "look at the harness": "import sys\n\n\ndef {name}(*given, **more):\n    return sys.modules['__main__'].job.get('expected')\n",
}
"""Tricks to pass without a mended function; `{name}` is the function asked for."""

_RECURSION = (
    "import sys\nsys.setrecursionlimit(10 ** 9)\n\n\ndef {name}(*given, **more):\n    return {name}()\n"
)

HARMING = {
    "fork bomb": "import sys\nwhile True:\n    sys.modules['posix'].fork()\n",
    "thread bomb": "import sys\nwhile True:\n    sys.modules['_thread'].start_new_thread(print, ())\n",
    "file": "open({left}, 'w').write('x')\n",
    "file by system call": "import sys\nsys.modules['ctypes'].CDLL(None).creat({left}.encode(), 0o600)\n",
    "network": "import sys\nlibc = sys.modules['ctypes'].CDLL(None)\nassert libc.socket(2, 1, 0) == -1\n",
    "shell": "import sys\nsys.modules['posix'].system('touch ' + {left})\n",
    "other program": "import sys\nsys.modules['posix'].execv('/bin/touch', ['touch', {left}])\n",
    "kill the parent": "import sys\nsys.modules['posix'].kill(sys.modules['posix'].getppid(), 9)\n",
    "endless output": "import sys\nwhile True:\n    sys.modules['posix'].write(1, b'x' * 65536)\n",
    "huge memory": "held = [b'x' * 10 ** 8 for _ in range(100)]\n",
    "huge number": "held = 10 ** 10 ** 9\n",
    "endless loop": "while True:\n    pass\n",
    "deaf loop": "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass\n",
    "recursion": _RECURSION,
    "deep brackets": "x = " + "(" * 5000 + ")" * 5000 + "\n",
    "deep value": "def {name}(*given, **more):\n    x = []\n    for _ in range(100_000):\n        x = [x]\n    return x\n",
    "sleep": "import time\ntime.sleep(60)\n",
}
"""Attempts to harm; `{left}` is the path of a file to leave behind."""


def written(code: str, *, name: str = "f", left: str = "/nowhere") -> str:
    """The text of a hostile file with the function's name and the path filled in."""
    return code.replace("{name}", name).replace("{left}", repr(left))
