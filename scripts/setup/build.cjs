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

/**
 * When a source was last changed, in whole milliseconds, which `utimes` keeps. Unlike the time of modification it also
 * changes when an older file replaces the source.
 */
const changedAt = (source) => Math.round(fs.statSync(source).ctimeMs);

/** Whether the output has the time at which its source was last changed. */
const isBuilt = (output, changed) => {
  const built = fs.statSync(output, { throwIfNoEntry: false });
  return built !== undefined && Math.round(built.mtimeMs) === changed;
};

function write(output, content, changed) {
  fs.mkdirSync(path.dirname(output), { recursive: true });
  const temporary = `${output}.${process.pid}.tmp`; // two builds at once must not read half a file
  fs.writeFileSync(temporary, content);
  const time = new Date(changed);
  fs.utimesSync(temporary, time, time);
  fs.renameSync(temporary, output);
}

const hashOf = (...texts) => texts.reduce((hash, text) => hash.update(text), createHash('sha256')).digest('hex');

/** Whether a stamp has the hash of what its outputs were made from. */
const isStamped = (stamp, hash) => fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === hash;

/** Generates the Prisma client when the schema has changed since. */
function generateClient() {
  const schema = fs.readFileSync(path.join(root, 'prisma/schema.prisma'));
  const version = require(path.join(root, 'package.json')).dependencies.prisma;
  const hash = hashOf(schema, version);
  const stamp = path.join(root, 'src/persistence/client/.schema-hash');
  if (isStamped(stamp, hash)) return;
  console.log('Generating the database client …');
  execFileSync(process.execPath, [require.resolve('prisma/build/index.js'), 'generate'], { cwd: root, stdio: 'pipe' });
  fs.writeFileSync(stamp, hash);
}

function buildFile(file, { output, changed, swc }) {
  if (isAsset(file)) {
    write(output, fs.readFileSync(file), changed);
    return;
  }
  const { code, map } = swc.transformFileSync(file, { cwd: root, sourceMaps: true });
  write(`${output}.map`, map, changed);
  write(output, `${code}\n//# sourceMappingURL=${path.basename(output)}.map\n`, changed);
}

/** Removes outputs whose source is gone. */
function removeOrphans(expected) {
  for (const file of filesBelow(dist)) {
    if (/\.(js|json|cjs|graphql)$/.test(file) && !expected.has(file)) fs.rmSync(file, { force: true });
  }
}

/** False in an install without development packages. */
function hasCompiler() {
  try {
    return require.resolve('@swc/core') !== '';
  } catch {
    return false;
  }
}

/** Compiles changed files to dist/, all of them after a change of the compiler, and removes output without a source. */
function build() {
  if (!hasCompiler()) {
    if (fs.existsSync(path.join(dist, 'src/main.js'))) return; // a production install runs the existing build
    throw new Error('dist/ is missing: run `npm run build` in an install with development packages');
  }
  const swc = require('@swc/core');
  generateClient();
  const compiler = hashOf(fs.readFileSync(path.join(root, '.swcrc')), swc.version);
  const stamp = path.join(dist, '.compiler-hash');
  const isSameCompiler = isStamped(stamp, compiler);
  if (!isSameCompiler) fs.rmSync(stamp, { force: true }); // a build that fails leaves outputs of both
  const sources = FOLDERS.flatMap((folder) => [...filesBelow(path.join(root, folder))]);
  const expected = new Set();
  for (const file of sources.filter((source) => isCode(source) || isAsset(source))) {
    const output = outputOf(file);
    expected.add(output);
    const changed = changedAt(file); // before the file is read: a change meanwhile is built the next time
    if (!isSameCompiler || !isBuilt(output, changed)) buildFile(file, { output, changed, swc });
  }
  removeOrphans(expected);
  if (!isSameCompiler) fs.writeFileSync(stamp, compiler);
}

module.exports = { build, generateClient };
