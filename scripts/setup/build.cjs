const { createHash } = require('node:crypto');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('./install.cjs');

const FOLDERS = ['src', 'subgraphs', 'gateway', 'devnet', 'scripts', 'test'];
const dist = path.join(root, 'dist');

function* filesBelow(folder) {
  if (!fs.existsSync(folder)) return;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(file);
    else yield file;
  }
}

const isCode = (file) => /\.ts$/.test(file) && !/\.(test|d)\.ts$/.test(file);
const isAsset = (file) => /\.(json|cjs|graphql)$/.test(file);
const outputOf = (file) => path.join(dist, path.relative(root, file)).replace(/\.ts$/, '.js');

const isOlder = (output, source) => {
  const built = fs.statSync(output, { throwIfNoEntry: false });
  return built === undefined || built.mtimeMs < fs.statSync(source).mtimeMs;
};

function write(output, content) {
  fs.mkdirSync(path.dirname(output), { recursive: true });
  const temporary = `${output}.${process.pid}.tmp`; // two builds at once must not read half a file
  fs.writeFileSync(temporary, content);
  fs.renameSync(temporary, output);
}

/** Generates the Prisma client when the schema has changed since. */
function generateClient() {
  const schema = fs.readFileSync(path.join(root, 'prisma/schema.prisma'));
  const version = require(path.join(root, 'package.json')).dependencies.prisma;
  const hash = createHash('sha256').update(schema).update(version).digest('hex');
  const stamp = path.join(root, 'src/persistence/client/.schema-hash');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === hash) return;
  console.log('Generating the database client …');
  execFileSync(process.execPath, [require.resolve('prisma/build/index.js'), 'generate'], { cwd: root, stdio: 'pipe' });
  fs.writeFileSync(stamp, hash);
}

/** Compiles changed files to dist/, and removes output without a source. */
function build() {
  let swc;
  try {
    swc = require('@swc/core');
  } catch {
    if (fs.existsSync(path.join(dist, 'src/main.js'))) return; // a production install runs the existing build
    throw new Error('dist/ is missing: run `npm run build` in an install with development packages');
  }
  generateClient();
  const sources = FOLDERS.flatMap((folder) => [...filesBelow(path.join(root, folder))]);
  const expected = new Set();
  for (const file of sources.filter((source) => isCode(source) || isAsset(source))) {
    const output = outputOf(file);
    expected.add(output);
    if (!isOlder(output, file)) continue;
    if (isAsset(file)) write(output, fs.readFileSync(file));
    else {
      const { code, map } = swc.transformFileSync(file, { cwd: root, sourceMaps: true });
      write(`${output}.map`, map);
      write(output, `${code}\n//# sourceMappingURL=${path.basename(output)}.map\n`);
    }
  }
  for (const file of filesBelow(dist)) {
    if (/\.(js|json|cjs|graphql)$/.test(file) && !expected.has(file)) fs.rmSync(file, { force: true });
  }
}

module.exports = { build, dist, generateClient };
