import { readEnvironment } from '../config/environment';
import { runAdmin } from './run-admin';
import { withDeployment } from './with-deployment';

async function main(): Promise<void> {
  const { exitCode, output, errors } = await runAdmin(process.argv.slice(2), (work) =>
    withDeployment(readEnvironment(), work),
  );
  if (output !== '') console.log(output);
  if (errors !== '') console.error(errors);
  process.exitCode = exitCode;
}

void main();
