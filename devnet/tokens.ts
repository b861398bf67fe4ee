import { type Address, type Hex, concatHex, getContractAddress, parseUnits } from 'viem';
import { ACCOUNT_COUNT, type DevnetAccount } from './accounts';
import { initCode, ownArtifact } from './artifacts';
import { CANONICAL } from './canonical-addresses';
import { DevnetError } from './devnet-error';

interface DevnetToken {
  readonly address: Address;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** What each account starts with, in the token's smallest unit. */
  readonly grant: bigint;
  /** What the CREATE2 factory is called with to deploy it. The wrapped native coin is deployed otherwise. */
  readonly deployment: Hex | undefined;
}

export type TokenSymbol = 'WETH' | 'USDC' | 'USDT' | 'BRLA' | 'DAI' | 'WBTC' | 'TOLL' | 'RUSD' | 'ISLE' | 'BRZ';

export type DevnetTokens = Readonly<Record<TokenSymbol, DevnetToken>>;

interface TokenPlan {
  readonly symbol: TokenSymbol;
  readonly name: string;
  readonly decimals: number;
  /** Whole tokens that each account starts with. */
  readonly grant: string;
  readonly artifact: string;
  readonly args: readonly unknown[];
}

const SALT: Hex = `0x${'0'.repeat(64)}`;

/** The tokens, at the same addresses on every chain. `TOLL` takes 1% of transfers; account 0 may pause `RUSD`. */
export function devnetTokens(accounts: readonly DevnetAccount[]): DevnetTokens {
  const issuer = accounts[0];
  if (issuer === undefined || accounts.length !== ACCOUNT_COUNT) throw new DevnetError('the accounts are incomplete');
  const faucet = (symbol: TokenSymbol, name: string, units: { decimals: number; grant: string }) =>
    create({ symbol, name, ...units, artifact: 'FaucetToken', args: [name, symbol, units.decimals] });
  return {
    WETH: {
      address: CANONICAL.weth,
      symbol: 'WETH',
      name: 'Wrapped Ether',
      decimals: 18,
      grant: parseUnits('1000', 18),
      deployment: undefined,
    },
    // Can be destroyed too, which is how it leaves a chain for another.
    USDC: create({
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      grant: '1000000',
      artifact: 'CctpToken',
      args: ['USD Coin', 'USDC', 6],
    }),
    USDT: create({ ...irregular('USDT', 'Tether USD'), artifact: 'ResetFirstToken', args: ['Tether USD', 'USDT'] }),
    BRLA: faucet('BRLA', 'BRLA Token', { decimals: 18, grant: '5000000' }),
    DAI: faucet('DAI', 'Dai Stablecoin', { decimals: 18, grant: '1000000' }),
    WBTC: faucet('WBTC', 'Wrapped BTC', { decimals: 8, grant: '30' }),
    TOLL: create({
      symbol: 'TOLL',
      name: 'Toll Token',
      decimals: 18,
      grant: '1000000',
      artifact: 'TollToken',
      args: ['Toll Token', 'TOLL'],
    }),
    RUSD: create({
      ...irregular('RUSD', 'Restricted Dollar'),
      artifact: 'RestrictedToken',
      args: ['Restricted Dollar', 'RUSD', issuer.address],
    }),
    ISLE: faucet('ISLE', 'Island Token', { decimals: 18, grant: '1000000' }),
    BRZ: faucet('BRZ', 'BRZ Token', { decimals: 18, grant: '5000000' }),
  };
}

const irregular = (symbol: TokenSymbol, name: string) => ({ symbol, name, decimals: 6, grant: '1000000' });

function create(plan: TokenPlan): DevnetToken {
  const { symbol, name, decimals, grant } = plan;
  const bytecode = initCode(ownArtifact(plan.artifact), plan.args);
  const address = getContractAddress({ opcode: 'CREATE2', from: CANONICAL.create2Factory, salt: SALT, bytecode });
  const deployment = concatHex([SALT, bytecode]);
  return { address, symbol, name, decimals, grant: parseUnits(grant, decimals), deployment };
}
