// Reports names that several files of src and gateway export: one exported name has one meaning. GraphQL types (subgraphs/) are
// named like the objects that they describe, and adapters of one port (providers/<name>/, protocols/<name>/, sources/<name>/) name
// their parts alike. Ends with 1 when there are findings.
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '..');
const EXPORT = /^export (?:abstract )?(?:async )?(?:interface|type|class|const|function\*?|enum) (\w+)/gm;
const isAdapter = (file) => /\/(?:providers|protocols|sources)\/[^/]+\//.test(file);

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', 'src', 'gateway'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /(?<!\.test)\.ts$/.test(file) && !isAdapter(file) && fs.existsSync(path.join(root, file)));

const places = new Map();
for (const file of files) {
  for (const [, name] of fs.readFileSync(path.join(root, file), 'utf8').matchAll(EXPORT)) {
    places.set(name, [...(places.get(name) ?? []), file]);
  }
}
const repeated = [...places].filter(([, exporting]) => new Set(exporting).size > 1);
for (const [name, exporting] of repeated)
  console.log(`${name} is exported by ${[...new Set(exporting)].join(' and ')}`);
console.log(`${String(places.size)} exported names, ${String(repeated.length)} exported by several files`);
process.exitCode = repeated.length === 0 ? 0 : 1;
