const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const MEMORY = '/dev/shm';
const PREFIX = 'afluente-tests-';
const MIN_BYTES = 6 * 1024 ** 3;

/**
 * A directory in memory for the temporary files of the tests, mostly databases and chains that live for seconds: writing
 * them to a disk takes much of the run's time. `undefined` where the machine has too little memory.
 */
function createMemoryDirectory() {
  if (process.env['TMPDIR'] !== undefined || os.freemem() < MIN_BYTES || !isUsable()) return undefined;
  removeAbandoned();
  const directory = path.join(MEMORY, PREFIX + String(process.pid));
  fs.mkdirSync(directory);
  // What cannot be removed yet is removed by the next run.
  process.once('exit', () => fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

function isUsable() {
  try {
    const { bavail, bsize } = fs.statfsSync(MEMORY);
    const mount = fs
      .readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === MEMORY);
    return bavail * bsize >= MIN_BYTES && mount !== undefined && !/\bnoexec\b/.test(mount);
  } catch {
    return false;
  }
}

/** Removes the directories of runs that were killed. */
function removeAbandoned() {
  for (const name of fs.readdirSync(MEMORY).filter((entry) => entry.startsWith(PREFIX))) {
    if (!fs.existsSync(`/proc/${name.slice(PREFIX.length)}`)) {
      fs.rmSync(path.join(MEMORY, name), { recursive: true, force: true });
    }
  }
}

module.exports = { createMemoryDirectory };
