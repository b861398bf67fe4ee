import '../../src/config/production';
import 'reflect-metadata';
import { loadConfig } from '../../src/config/config';
import { readEnvironment } from '../../src/config/environment';
import { exampleValues } from '../../src/main/example-values';
import { openInfrastructure } from '../../src/main/infrastructure';
import { createLogger } from '../../src/main/logger';
import { startGateway } from '../../src/main/service';

/** The measured process: the gateway with all providers of the embedded mode. Sends its address and the tokens to trade. */
async function main(): Promise<void> {
  const config = loadConfig({ ...readEnvironment(), PORT: '0' });
  const { url } = await startGateway(openInfrastructure(config, createLogger(config.LOG_LEVEL)));
  process.on('disconnect', () => process.exit());
  process.send?.({ url, trade: exampleValues(config) });
}

void main();
