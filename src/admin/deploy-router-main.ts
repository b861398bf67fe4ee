import { createPublicClient, createWalletClient, http } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { ConfigError } from '../config/config';
import { readEnvironment } from '../config/environment';
import { environmentSchema } from '../config/environment-schema';
import { loadChains } from '../config/load-chains';
import type { Chain } from '../chains/chain';
import { STRATEGY_ROUTER_ADDRESS } from '../chains/strategy-router';
import { describeFailure } from '../errors/describe-failure';
import { AdminProblem } from './admin-problem';
import { deployRouter } from './deploy-router';

interface Target {
  readonly chain: Chain;
  readonly rpcUrl: string;
  readonly account: PrivateKeyAccount | undefined;
}

/** The chain of a slug, which needs an RPC URL, and the account that pays, if there is one. @throws ConfigError */
function readTarget(slug: string): Target {
  const environment = readEnvironment();
  const problems: string[] = [];
  const { table, rpcUrls } = loadChains(environment, problems);
  const chain = table.find(slug);
  const rpcUrl = rpcUrls.get(chain?.chainId ?? -1);
  const configured = environment['ROUTER_DEPLOYER_KEY'];
  const key = environmentSchema.shape.SERVICE_WALLET_KEY.safeParse(configured === '' ? undefined : configured);
  if (!key.success) problems.push('ROUTER_DEPLOYER_KEY: must be a private key: 0x and 64 hexadecimal digits');
  if (chain?.kind !== 'evm' || rpcUrl === undefined)
    throw new ConfigError([...problems, `"${slug}" is not an EVM chain with an RPC URL.`]);
  if (problems.length > 0) throw new ConfigError(problems);
  return { chain, rpcUrl, account: key.data && privateKeyToAccount(key.data) };
}

const USAGE = 'Usage: npm run deploy:router -- <chain>, with the slug of one EVM chain, such as polygon.';

/** Prints where the router is. @throws AdminProblem, ConfigError */
async function main([slug, ...others]: readonly string[]): Promise<string> {
  if (slug === undefined || slug.startsWith('-') || others.length > 0) throw new AdminProblem([USAGE], 'usage');
  const { chain, rpcUrl, account } = readTarget(slug);
  const transport = http(rpcUrl);
  const clients = { client: createPublicClient({ transport }), wallet: createWalletClient({ transport }) };
  const hash = await deployRouter({ ...clients, account }, chain);
  const place = `The router of strategies is at ${STRATEGY_ROUTER_ADDRESS} on ${chain.slug}`;
  const advice = `Add ${chain.slug} to STRATEGY_ROUTER_CHAINS, or strategyRouter to its entry of CHAINS_FILE.`;
  return `${place}${hash === undefined ? ' already' : `, deployed by ${hash}`}. ${advice}`;
}

main(process.argv.slice(2)).then(
  (sentence) => {
    console.log(sentence);
  },
  (error: unknown) => {
    const isKnown = error instanceof AdminProblem || error instanceof ConfigError;
    // An error of a node may contain its URL, with the key of a provider.
    console.error(isKnown ? error.problems.join('\n') : describeFailure(error));
    process.exitCode = error instanceof AdminProblem && error.kind === 'usage' ? 2 : 1;
  },
);
