// Serves a built site from disk as a static host would: `index.html` in folders, `404.html` for what is not there, and the
// headers of `_headers`, so that the pages meet the Content-Security-Policy that they will be served with.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export const root = path.resolve(process.env.SITE ?? "../../site");

const TYPES = {
  ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml", ".json": "application/json", ".xml": "application/xml", ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8", ".png": "image/png", ".ico": "image/x-icon", ".csv": "text/csv; charset=utf-8",
};

// The rules of a `_headers` file: a path (with `*` at its end), then indented `Name: value` lines.
export function headerRules(text) {
  const rules = [];
  for (const line of text.split("\n")) {
    if (/^\S/.test(line) && !line.startsWith("#")) rules.push({ path: line.trim(), headers: [] });
    else if (line.trim() && !line.trim().startsWith("#")) {
      const at = line.indexOf(":");
      rules.at(-1).headers.push([line.slice(0, at).trim(), line.slice(at + 1).trim()]);
    }
  }
  return rules;
}

export async function serve() {
  const rules = headerRules(readFileSync(path.join(root, "_headers"), "utf8"));
  const server = createServer(async (request, answer) => {
    const url = new URL(request.url, "http://localhost");
    let file = path.join(root, path.normalize(decodeURIComponent(url.pathname)));
    if (url.pathname.endsWith("/")) file = path.join(file, "index.html");
    let status = 200;
    let bytes = await readFile(file).catch(() => null);
    if (!bytes) {
      status = 404;
      file = path.join(root, "404.html");
      bytes = await readFile(file);
    }
    for (const rule of rules) {
      const fits = rule.path.endsWith("*") ? url.pathname.startsWith(rule.path.slice(0, -1)) : url.pathname === rule.path;
      if (fits) for (const [name, value] of rule.headers) answer.setHeader(name, value);
    }
    answer.setHeader("Content-Type", TYPES[path.extname(file)] ?? "application/octet-stream");
    answer.writeHead(status).end(bytes);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { base: `http://127.0.0.1:${server.address().port}`, close: () => new Promise((done) => server.close(done)) };
}

// Every HTML page's file, relative to the site.
export function pages(folder = root) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const full = path.join(folder, entry.name);
      return entry.isDirectory() ? pages(full) : entry.name.endsWith(".html") ? [path.relative(root, full)] : [];
    })
    .sort();
}

export const address = (file) => "/" + file.replace(/(^|\/)index\.html$/, "$1");

// One page of each kind: enough to meet every template once.
export function samples(all = pages().map(address)) {
  const first = (pattern) => all.filter((page) => pattern.test(page)).slice(0, 1);
  return [...new Set([
    "/", "/404.html",
    ...all.filter((page) => /^\/[^/]+\/$/.test(page)),
    ...["python", "csharp"].map((id) => `/languages/${id}/`).filter((page) => all.includes(page)),
    ...["kafka-python", "confluent-kafka-python", "sarama-cluster", "kafka-clients"].map((id) => `/clients/${id}/`).filter((page) => all.includes(page)),
    ...["transactions", "share-groups"].map((id) => `/features/${id}/`).filter((page) => all.includes(page)),
    ...first(/^\/compare\/[^/]+\/$/), ...first(/^\/examples\/[^/]+\/$/),
  ])];
}
