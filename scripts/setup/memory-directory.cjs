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
  const directory = fs.mkdtempSync(path.join(MEMORY, `${PREFIX}${process.pid}-`));
  process.once('exit', () => remove(directory));
  // Root runs PostgreSQL as another user, who would otherwise not reach its files there.
  fs.chmodSync(directory, 0o711);
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

/** Removes the directories of runs of this user that were killed. */
function removeAbandoned() {
  for (const name of fs.readdirSync(MEMORY).filter((entry) => entry.startsWith(PREFIX))) {
    const [pid] = name.slice(PREFIX.length).split('-');
    if (!fs.existsSync(`/proc/${pid}`)) remove(path.join(MEMORY, name));
  }
}

/** What cannot be removed stays: another user's, or what a process still writes. */
function remove(directory) {
  try {
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    console.error(`${directory} was not removed: ${error.message}`);
  }
}

module.exports = { createMemoryDirectory };
