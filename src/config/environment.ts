import path from 'node:path';
import { PROJECT_ROOT } from './project-root';

/** The environment of the process: read here and nowhere else. */
export const readEnvironment = (): NodeJS.ProcessEnv => process.env;

/** Where the embedded mode keeps its database, chains and credentials: AFLUENTE_DATA_DIR, else `.local` of the project. */
export function dataDirectory(environment: NodeJS.ProcessEnv): string {
  const configured = environment['AFLUENTE_DATA_DIR'];
  return path.resolve(PROJECT_ROOT, configured === undefined || configured === '' ? '.local' : configured);
}
