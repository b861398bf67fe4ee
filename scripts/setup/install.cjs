const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '../..');

const packagesOf = (file) => {
  try {
    return JSON.parse(fs.readFileSync(path.join(root, file), 'utf8')).packages;
  } catch {
    return {};
  }
};

/** True when node_modules holds what the lockfile asks for; a production install may lack the development packages. */
function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  const present = packagesOf('node_modules/.package-lock.json');
  const isBuilt = fs.existsSync(path.join(root, 'dist/src/main.js'));
  const isProduction = isBuilt && present['node_modules/@swc/core'] === undefined;
  return Object.entries(wanted).every(([name, { version, optional, dev, devOptional, peer }]) => {
    if (name === '' || optional || (isProduction && (dev || devOptional || peer))) return true;
    return present[name]?.version === version;
  });
}

/** Installs the exact versions of the lockfile when they are missing, and says so while it does. */
async function install() {
  if (isInstalled()) return;
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  console.log('Installing dependencies: first run, one to three minutes …');
  const heartbeat = setInterval(() => console.log(`  … still installing, ${seconds()} s`), 15_000);
  const npm = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const code = await new Promise((resolve, reject) => npm.once('error', reject).once('close', resolve));
  clearInterval(heartbeat);
  if (code !== 0) throw new Error(`npm ci ended with ${code}`);
  console.log(`Installed in ${seconds()} s.`);
}

module.exports = { install, root };
