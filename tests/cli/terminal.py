"""terminal.py - runs a command at a terminal and types a line at each prompt

    terminal.py EDITING STEP... -- COMMAND...

EDITING is 1 if libedit is built in. The steps are typed as they are, with escapes as in Python's strings, each when the
prompt ("> ") has appeared. Prints all that the terminal shows; exits with the command's status.
"""
import os
import pty
import select
import sys
import termios
import time

editing = sys.argv[1] != "0"
cut = sys.argv.index("--")
steps = [step.encode().decode("unicode_escape").encode() for step in sys.argv[2:cut]]
command = sys.argv[cut + 1:]


# The prompt appears before libedit leaves the line mode of the terminal, in which a Ctrl-D that comes too early is
# lost.
def wait_for_editing(fd):
    end = time.time() + 30
    while editing and termios.tcgetattr(fd)[3] & termios.ICANON:
        if time.time() > end:
            raise SystemExit("a prompt, but no editing")
        time.sleep(0.001)


pid, terminal = pty.fork()
if pid == 0:
    os.execve(command[0], command, dict(os.environ, TERM="vt100"))
for step in steps + [None]:
    part = ""
    end = time.time() + 30
    while step is None or "> " not in part:
        if not select.select([terminal], [], [], end - time.time())[0]:
            raise SystemExit("no prompt: " + part)
        try:
            data = os.read(terminal, 4096)
        except OSError:
            data = b""
        if not data:
            break
        part += data.decode(errors="replace")
    sys.stdout.write(part)
    if step is not None:
        wait_for_editing(terminal)
        os.write(terminal, step)
status = os.waitpid(pid, 0)[1]
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else "killed: %d" % status)
