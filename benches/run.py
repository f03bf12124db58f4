#!/usr/bin/env python3
"""Benchmarks of build, rebuild and serve, as ratios to the floor program run beside them.

    python3 benches/run.py [--sizes 100,1000,10000] [--runs 5] [--only manifests|guides|serve]

Needs Python 3.8 and Linux or macOS. Builds the release program and benches/floor.rs, makes synthetic books below a
temporary folder, runs both programs in turn (A B A B ...) and prints medians, ratios and peak memory. Nothing here asserts a
time: machines are noisy, ratios less so.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent

CODE = {
    "python": "def handle(record, seen={n}):\n    \"\"\"Counts what it has seen.\"\"\"\n    if record.key is None:\n        return seen\n"
    "    total = seen + len(record.value)  # bytes\n    for header in record.headers:\n        total += len(header)\n"
    "    print(f\"offset {{record.offset}}: {{total}}\")\n    return total\n",
    "rust": "fn handle(record: &Record, seen: usize) -> usize {{\n    // counts what it has seen\n    let total = seen + record.value.len() + {n};\n"
    "    for header in &record.headers {{\n        println!(\"{{}} {{}}\", header.name, total);\n    }}\n    total\n}}\n",
    "go": "func handle(record *Record, seen int) int {{\n\t// counts what it has seen\n\ttotal := seen + len(record.Value) + {n}\n"
    "\tfor _, header := range record.Headers {{\n\t\tfmt.Println(header.Key, total)\n\t}}\n\treturn total\n}}\n",
    "java": "public static int handle(Record record, int seen) {{\n    // counts what it has seen\n    int total = seen + record.value().length + {n};\n"
    "    for (Header header : record.headers()) {{\n        System.out.println(header.key() + \" \" + total);\n    }}\n    return total;\n}}\n",
}


def build_programs():
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
    lines = subprocess.run(
        ["cargo", "bench", "--no-run", "--bench", "floor", "--message-format=json", "--quiet"],
        cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True,
    ).stdout.splitlines()
    floor = next(m["executable"] for m in map(json.loads, lines) if m.get("executable") and m["target"]["name"] == "floor")
    metadata = json.loads(subprocess.run(["cargo", "metadata", "--no-deps", "--format-version=1"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    return pathlib.Path(metadata["target_directory"]) / "release" / "clientbook", pathlib.Path(floor)


def copy_content(root):
    """The real catalogue's features, languages, levels, registries and examples: realistic lists, no guides, no clients."""
    for name in ["features", "languages", "levels", "registries", "examples"]:
        shutil.copytree(ROOT / "content" / name, root / "content" / name)
    shutil.copytree(ROOT / "templates", root / "templates")
    shutil.copytree(ROOT / "static", root / "static")
    # The home page's short cuts lead to pages of real clients, which a synthetic book need not have.
    settings = (ROOT / "clientbook.toml").read_text()
    (root / "clientbook.toml").write_text(settings.split("[[home.needs]]")[0])
    (root / "clients").mkdir()


def manifest(n, features, languages, rng):
    claims = "".join(
        f"[features.{feature}]\nsupport = \"{rng.choice(['yes', 'yes', 'yes', 'no'])}\"\nsince = \"1.{rng.randrange(9)}.0\"\n"
        f"source = \"https://git.example.org/c{n}/blob/0123abcd/src/lib.rs#L{rng.randrange(1, 900)}\"\n\n"
        for feature in sorted(rng.sample(features, 12))
    )
    return f"""#:schema ../../static/schema/manifest.schema.json
schema = 1
name = "client {n}"
summary = "A synthetic client, number {n}, that exists only to be measured."
languages = ["{rng.choice(languages)}"]
kind = "native"
license = "Apache-2.0"
packages = ["pkg:pypi/client-{n}"]
install = "pip install client-{n}==1.9.0"
repository = "https://git.example.org/c{n}"
checked = "2026-11-30"

[status]
value = "{rng.choice(['active', 'active', 'maintenance', 'dormant'])}"
reason = "It was made for a measurement."
source = "https://git.example.org/c{n}/releases"

[latest-release]
version = "1.9.0"
date = "2026-10"
source = "pkg:pypi/client-{n}@1.9.0"

{claims}"""


def guide(n, rng):
    words = "the client sends a record and waits for the broker to say that it is stored in every copy of the partition".split()
    paragraph = lambda: " ".join(rng.choice(words) for _ in range(70)).capitalize() + "."
    language = rng.choice(list(CODE))
    return (
        f"+++\ntitle = \"Guide {n}\"\ndescription = \"A synthetic guide, number {n}.\"\n+++\n{paragraph()}\n\n## First\n\n{paragraph()}\n\n"
        f"```{language}\n{CODE[language].format(n=n)}```\n\n- one\n- two [here](/)\n\n## Second\n\n{paragraph()}\n\n{paragraph()}\n"
    )


def make_book(root, kind, size):
    rng = random.Random(size)
    copy_content(root)
    languages = sorted(p.stem for p in (root / "content/languages").glob("*.toml"))
    features = sorted(p.stem for p in (root / "content/features").glob("*.md"))
    if kind == "manifests":
        for n in range(size):
            folder = root / "clients" / f"client-{n}"
            folder.mkdir()
            (folder / "manifest.toml").write_text(manifest(n, features, languages, rng))
    else:
        (root / "content/guides").mkdir()
        for n in range(size):
            (root / "content/guides" / f"guide-{n}.md").write_text(guide(n, rng))


def timed(command):
    """Wall seconds and peak memory (MiB) of one whole process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{errors.decode()[-2000:]}")
    scale = 1024 if sys.platform == "linux" else 1024 * 1024
    return seconds, usage.ru_maxrss / scale


def empty(*folders):
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def measure(label, runs, command, floor_command, before):
    ours, floors, memory = [], [], 0
    for run in range(runs + 1):
        before()
        a, peak = timed(command)
        b, _ = timed(floor_command)
        if run:  # the first is a warm-up
            ours.append(a)
            floors.append(b)
            memory = max(memory, peak)
    ratio = statistics.median(a / b for a, b in zip(ours, floors))
    print(f"{label:34} {statistics.median(ours):8.3f} s   floor {statistics.median(floors):7.3f} s   ratio {ratio:5.2f}   peak {memory:5.0f} MiB", flush=True)


def bench_builds(kind, size, runs, program, floor, work):
    root, out, floor_out = work / f"{kind}-{size}", work / "out", work / "floor-out"
    empty(root, out, floor_out)
    root.mkdir()
    make_book(root, kind, size)
    build = [program, "build", "--root", root, "--out", out, "--as-of", "2026-11-30", "--quiet"]
    least = [floor, kind, root, floor_out]
    cache = root / ".clientbook"
    measure(f"{kind} {size:6} first build, cold", runs, build, least, lambda: empty(out, floor_out, cache))
    measure(f"{kind} {size:6} first build, cached", runs, build, least, lambda: empty(out, floor_out))
    measure(f"{kind} {size:6} build again", runs, build, least, lambda: None)
    empty(out, floor_out)
    return root


def fetch(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def bench_serve(size, runs, program, work):
    """From a save to the moment that the changed page is served, and whether listings changed with it."""
    root = work / f"serve-{size}"
    root.mkdir()
    make_book(root, "manifests", size)
    port = 4973
    server = subprocess.Popen([program, "serve", "--root", root, "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        base = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                fetch(base + "/")
                break
            except OSError:
                time.sleep(0.1)
        path = root / "clients/client-7/manifest.toml"
        taken = []
        for run in range(runs + 1):
            word = f"edited {run} times"
            text = path.read_text().splitlines()
            text = [f'name = "client 7 {word}"' if line.startswith("name = ") else line for line in text]
            start = time.perf_counter()
            path.write_text("\n".join(text) + "\n")
            while word not in fetch(base + "/clients/client-7/"):
                if time.perf_counter() - start > 10:
                    sys.exit("serve: the page did not change within 10 s")
            if run:
                taken.append((time.perf_counter() - start) * 1000)
            listing = next(line.split('"')[1] for line in text if line.startswith("languages"))
            if word not in fetch(f"{base}/languages/{listing}/"):
                sys.exit("serve: the language's page still shows the old name")
        print(f"serve {size:6} save to page            median {statistics.median(taken):6.1f} ms   worst {max(taken):6.1f} ms", flush=True)
    finally:
        server.terminate()
        server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100,1000,10000")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=["manifests", "guides", "serve"])
    options = parser.parse_args()
    program, floor = build_programs()
    with tempfile.TemporaryDirectory(prefix="clientbook-bench-") as folder:
        work = pathlib.Path(folder)
        for kind in ["manifests", "guides"]:
            for size in map(int, options.sizes.split(",")):
                if options.only in (None, kind):
                    shutil.rmtree(bench_builds(kind, size, options.runs, program, floor, work))
        if options.only in (None, "serve"):
            bench_serve(1000, max(options.runs, 10), program, work)


if __name__ == "__main__":
    main()
