import { existsSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { dataDirectory, readEnvironment } from '../src/config/environment';
import { serviceOf } from '../src/main/data-directory-claim';

const directory = dataDirectory(readEnvironment());
const service = serviceOf(directory);
if (service !== undefined) {
  console.error(`The service with process id ${String(service)} uses ${directory}. Stop it first.`);
  process.exitCode = 1;
} else if (existsSync(directory)) {
  // Its files may be elsewhere, where the server's own user can reach them.
  const cluster = path.join(directory, 'postgres/cluster');
  if (existsSync(cluster)) rmSync(realpathSync(cluster), { recursive: true });
  rmSync(directory, { recursive: true });
  console.log(`Removed ${directory}. The next "npm start" begins with fresh chains and an empty database.`);
} else {
  console.log(`Nothing to remove at ${directory}.`);
}
