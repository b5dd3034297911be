// `npm run bench`: builds the release binary and prints what Assent costs beside a bare client.
// It judges nothing beyond the table's last column, and is no part of `npm test`.
//
//   npm run bench                      all figures
//   npm run bench -- steps start       some of: steps, start, work, stream, prefix, opening, requests, reads, command, tokens

import { Missing, built, script, start } from "./setup.mjs";

await script(() => {
  cargo(["build", "--release", "--package", "assent-headless"]);
  cargo(["bench", "--package", "assent-bench", "--", ...process.argv.slice(2)], { ASSENT_BIN: built("assent", "release") });
});

function cargo(args, environment = {}) {
  const { status, error } = start("cargo", args, { stdio: "inherit", env: { ...process.env, ...environment } });
  if (status !== 0) throw new Missing(`cargo ${args[0]} ${error ? error.message : `ended with ${status}`}`);
}
