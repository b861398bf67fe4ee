import path from 'node:path';
import { PROJECT_ROOT } from './project-root';

/** The environment of the process. No other function reads it. */
export const readEnvironment = (): NodeJS.ProcessEnv => process.env;

/** Folder of the embedded mode's database, chains and credentials: AFLUENTE_DATA_DIR, else `.local` of the project. */
export function dataDirectory(environment: NodeJS.ProcessEnv): string {
  const configured = environment['AFLUENTE_DATA_DIR'];
  return path.resolve(PROJECT_ROOT, configured === undefined || configured === '' ? '.local' : configured);
}
