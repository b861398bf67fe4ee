const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '../..');

const stamp = path.join(root, 'node_modules/.installed-lockfile');

const read = (file) => fs.readFileSync(path.join(root, file));

const packagesOf = (file) => {
  try {
    return JSON.parse(read(file)).packages;
  } catch {
    return {};
  }
};

const lockfileHash = () => createHash('sha256').update(read('package-lock.json')).digest('hex');

/**
 * True when node_modules matches the lockfile. Direct dependencies are always compared: `npm prune` leaves the stamp. A built
 * service runs without development packages, unless they are required.
 */
function isInstalled({ isForDevelopment }) {
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') !== lockfileHash()) return false;
  const isBuilt = fs.existsSync(path.join(root, 'dist/src/main.js'));
  return hasPackages({
    manifest: JSON.parse(read('package.json')),
    present: packagesOf('node_modules/.package-lock.json'),
    mayBeProduction: isBuilt && !isForDevelopment,
  });
}

/** Whether the direct dependencies are present in their exact versions; only those for production in a pruned tree. */
function hasPackages({ manifest: { dependencies, devDependencies }, present, mayBeProduction }) {
  const isProduction = mayBeProduction && present['node_modules/@swc/core'] === undefined;
  const wanted = isProduction ? dependencies : { ...dependencies, ...devDependencies };
  return Object.entries(wanted).every(([name, version]) => present[`node_modules/${name}`]?.version === version);
}

/**
 * Installs the exact versions of the lockfile when they are missing, and reports progress. `isForDevelopment`: for a command
 * that needs the development packages.
 */
async function install({ isForDevelopment = false } = {}) {
  if (isInstalled({ isForDevelopment })) return;
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  console.log('Installing dependencies: first run, one to seven minutes …');
  const heartbeat = setInterval(() => console.log(`  … still installing, ${seconds()} s`), 15_000);
  const npm = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const code = await new Promise((resolve, reject) => npm.once('error', reject).once('close', resolve));
  clearInterval(heartbeat);
  if (code !== 0) throw new Error(`npm ci ended with ${code}`);
  fs.writeFileSync(stamp, lockfileHash());
  console.log(`Installed in ${seconds()} s.`);
}

module.exports = { hasPackages, install, root };
