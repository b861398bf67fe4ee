import { createPublicClient, createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { ConfigError } from '../config/config';
import { readEnvironment } from '../config/environment';
import { environmentSchema } from '../config/environment-schema';
import { loadChains } from '../config/load-chains';
import { STRATEGY_ROUTER_ADDRESS } from '../chains/strategy-router';
import { AdminProblem } from './admin-problem';
import { deployRouter } from './deploy-router';

/** `npm run deploy:router -- <chain>`: the chain needs an RPC URL, and the environment the key of an account that pays. */
async function main([slug = '']: readonly string[]): Promise<string> {
  const environment = readEnvironment();
  const problems: string[] = [];
  const { table, rpcUrls } = loadChains(environment, problems);
  const chain = table.find(slug);
  const url = chain === undefined ? undefined : rpcUrls.get(chain.chainId);
  const key = environmentSchema.shape.SERVICE_WALLET_KEY.safeParse(environment['ROUTER_DEPLOYER_KEY']);
  if (chain?.kind !== 'evm' || url === undefined) problems.push(`"${slug}" is not an EVM chain with an RPC URL.`);
  if (!key.success) problems.push('ROUTER_DEPLOYER_KEY: must be a private key: 0x and 64 hexadecimal digits');
  if (problems.length > 0 || chain === undefined) throw new ConfigError(problems);
  const transport = http(url);
  const clients = { client: createPublicClient({ transport }), wallet: createWalletClient({ transport }) };
  const account = key.data === undefined ? undefined : privateKeyToAccount(key.data);
  const hash = await deployRouter({ ...clients, account }, chain);
  const place = `The router of strategies is at ${STRATEGY_ROUTER_ADDRESS} on ${chain.slug}`;
  const advice = `Add ${chain.slug} to STRATEGY_ROUTER_CHAINS, or strategyRouter to its entry of CHAINS_FILE.`;
  return `${place}${hash === undefined ? ' already' : `, deployed by ${hash}`}. ${advice}`;
}

main(process.argv.slice(2)).then(
  (sentence) => console.log(sentence),
  (error: unknown) => {
    const isKnown = error instanceof AdminProblem || error instanceof ConfigError;
    console.error(isKnown ? error.problems.join('\n') : error);
    process.exitCode = 1;
  },
);
