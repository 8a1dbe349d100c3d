"""``./course site``: what is built can be served, on a port that can be had, until Ctrl-C."""

import signal
import socket
import subprocess
import sys
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from checkout import Checkout

# Sphinx: writes one page, or complains.
_SPHINX = """\
echo "$@" >> "$STANDIN_LOG"
if [ -n "$STANDIN_CODE" ]; then echo "WARNING: a page is wrong"; exit "$STANDIN_CODE"; fi
for target; do :; done
mkdir -p "$target"; echo "<p>a page</p>" > "$target/index.html"
"""
_GIVE_UP = 20  # seconds


class Site(Checkout):
    def setUp(self):
        super().setUp()
        self.set_up()
        python = self.places.venv / "bin" / "python"
        python.unlink()
        self.stand_in(python, _SPHINX)

    def serve(self, *arguments):
        """Start the command; return it and the address that it serves."""
        process = subprocess.Popen(
            [sys.executable, self.root / "course", "site", "--serve", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(),
            cwd=self.folder,
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        serving = next((line for line in process.stdout if line.startswith("Serving ")), "")
        self.assertRegex(serving, r"^Serving http://127\.0\.0\.1:\d+/ to this machine; Ctrl-C")
        return process, serving.split()[1]

    def end(self, process, number=signal.SIGINT):
        """Send a signal; return the exit code and what was said on stderr."""
        process.send_signal(number)
        process.wait(timeout=_GIVE_UP)
        return process.returncode, process.stderr.read()

    def get(self, address):
        with urllib.request.urlopen(address, timeout=_GIVE_UP) as answer:
            return answer.read().decode("utf-8")

    def test_without_serve_it_ends_with_the_pages(self):
        done = self.course("site", check=0)
        self.assertRegex(done.stdout, r"^1 pages; open .*build/site/index\.html\n$")
        self.sentence(1, "the site has errors", "site", env={"STANDIN_CODE": "1"})

    def test_it_serves_the_folder_until_ctrl_c(self):
        process, address = self.serve()
        self.assertEqual(self.get(address), "<p>a page</p>\n")
        with self.assertRaisesRegex(urllib.error.HTTPError, "404"):
            self.get(f"{address}none.html")
        code, errors = self.end(process)
        self.assertEqual(code, 130)
        self.assertEqual(errors.splitlines()[-1], "course: interrupted")
        self.assertNotIn("Traceback", errors)
        self.assertNotIn("GET", errors)
        with self.assertRaises(urllib.error.URLError):
            self.get(address)

    def test_it_is_for_this_machine_alone(self):
        process, address = self.serve()
        port = int(address.rstrip("/").rpartition(":")[2])
        listening = [
            line.split()[1]
            for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]
            if line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"
        ]
        self.assertEqual(listening, [f"0100007F:{port:04X}"])
        self.assertEqual(self.end(process, signal.SIGTERM)[0], 128 + signal.SIGTERM)

    def test_verbose_tells_each_request(self):
        process, address = self.serve("--verbose")
        self.get(address)
        self.assertIn('"GET / HTTP/1.1" 200', self.end(process)[1])

    def test_a_port_in_use_is_refused_before_anything_is_built(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            words = f"cannot serve on port {port}: it is in use; name another one with --port$"
            self.sentence(2, words, "site", "--serve", "--port", port)
        self.assertEqual(self.called(), [])

    def test_a_port_that_is_none(self):
        for port in ("65536", "-1", "http", "", "8e3"):
            words = "--port .*: a port is a number from 0 to 65535$"
            self.sentence(2, words, "site", "--serve", f"--port={port}")
        self.sentence(2, "--port is of --serve", "site", "--port", "8000")

    def test_the_help_fits_a_terminal(self):
        text = self.course("site", "--help", env={"COLUMNS": "80"}, check=0).stdout
        self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])
        self.assertIn("--port N", text)


if __name__ == "__main__":
    unittest.main()
