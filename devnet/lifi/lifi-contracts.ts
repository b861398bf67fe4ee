import { encodeFunctionData, getContractAddress, type Hex, maxUint256, parseAbi, parseUnits } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { initCode, ownArtifact } from '../artifacts';
import type { ChainExtension } from '../chain-extension';
import type { SetupCall } from '../setup-transactions';
import type { DevnetTokens, TokenSymbol } from '../tokens';

/** Key of the relayer that pays out on the local chains: public, never send anything of value to it. It deploys too. */
export const LIFI_RELAYER_KEY: Hex = '0x11f1000000000000000000000000000000000000000000000000000000000001';

const RELAYER = privateKeyToAddress(LIFI_RELAYER_KEY);

/** The same addresses on every local chain. */
export const LIFI_CONTRACTS = { diamond: getContractAddress({ from: RELAYER, nonce: 0n }) } as const;

/** Tokens that are bridged, and how much of each the relayer has, in whole tokens. Its balance of the native coin is ample. */
const RELAYER_FUNDS = {
  WETH: '50000',
  USDC: '20000000',
  USDT: '20000000',
  DAI: '20000000',
  BRLA: '100000000',
} as const satisfies Partial<Record<TokenSymbol, string>>;

/** Symbols of the tokens that are bridged; tokens of the same symbol are the same token. */
export const LIFI_BRIDGED_TOKENS = Object.keys(RELAYER_FUNDS) as readonly (keyof typeof RELAYER_FUNDS)[];

const token = parseAbi([
  'function mint(address to, uint256 value)',
  'function deposit() payable',
  'function approve(address spender, uint256 value)',
]);

/** LI.FI's contract, and a relayer with plenty to pay out. */
export const LIFI_EXTENSION: ChainExtension = {
  name: 'lifi',
  deployer: RELAYER,
  calls: ({ tokens }) => [
    { label: 'the contract of LI.FI', data: initCode(ownArtifact('LifiDiamond'), [RELAYER]) },
    ...LIFI_BRIDGED_TOKENS.flatMap((symbol) => fundRelayer(tokens, symbol)),
  ],
};

function fundRelayer(tokens: DevnetTokens, symbol: keyof typeof RELAYER_FUNDS): readonly SetupCall[] {
  const { address, decimals, deployment } = tokens[symbol];
  const amount = parseUnits(RELAYER_FUNDS[symbol], decimals);
  const funding =
    deployment === undefined
      ? { value: amount, data: encodeFunctionData({ abi: token, functionName: 'deposit' }) }
      : { data: encodeFunctionData({ abi: token, functionName: 'mint', args: [RELAYER, amount] }) };
  const args = [LIFI_CONTRACTS.diamond, maxUint256] as const;
  const approval = encodeFunctionData({ abi: token, functionName: 'approve', args });
  return [
    { label: `${symbol} of LI.FI's relayer`, to: address, ...funding },
    { label: `approval of ${symbol} by LI.FI's relayer`, to: address, data: approval },
  ];
}
