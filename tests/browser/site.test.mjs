// The built site as files: valid HTML, bounded weight.
import test from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import path from "node:path";
import { HtmlValidate } from "html-validate";
import { pages, root } from "./site.mjs";

const WEIGHT_MAX = 100 * 1024;
const all = pages();

test("there is a site", () => assert.ok(all.length > 50, `${all.length} pages in ${root}`));

test("html-validate finds nothing", async () => {
  const validator = new HtmlValidate({
    extends: ["html-validate:recommended"],
    rules: {
      // Ours is a choice of style: void elements without a slash, attributes without needless quotes, white space as it comes.
      "attr-quotes": "off", "void-style": "off", "no-trailing-whitespace": "off", "doctype-style": "off", "long-title": "off",
      // Scripts and styles of our own carry SRI: that is checked by the build.
      "no-implicit-button-type": "error",
    },
  });
  const problems = [];
  for (const file of all) {
    const report = await validator.validateString(readFileSync(path.join(root, file), "utf8"), file);
    for (const result of report.results)
      for (const message of result.messages) problems.push(`${file}:${message.line}:${message.column} ${message.ruleId}: ${message.message}`);
  }
  assert.equal(problems.length, 0, problems.slice(0, 30).join("\n"));
});

test("no page is over 100 kB compressed", () => {
  const heavy = all
    .map((file) => [file, gzipSync(readFileSync(path.join(root, file))).length])
    .filter(([, bytes]) => bytes > WEIGHT_MAX);
  assert.deepEqual(heavy, []);
});
