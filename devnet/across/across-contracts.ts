import { type Address, encodeFunctionData, getContractAddress, type Hex, maxUint256, parseAbi, parseUnits } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { initCode, packagedArtifact } from '../artifacts';
import { CANONICAL } from '../canonical-addresses';
import type { ChainExtension } from '../chain-extension';
import type { SetupCall } from '../setup-transactions';
import type { DevnetTokens, TokenSymbol } from '../tokens';

/** Keys of those who run the bridge on the local chains: public, never send anything of value to them. */
export const ACROSS_KEYS = {
  /** Fills deposits. It deploys the contracts too, so that its balances and approvals are part of the set-up. */
  relayer: '0xac80550000000000000000000000000000000000000000000000000000000001',
  /** Owns the SpokePools, as the HubPool does on the main network: relays root bundles. */
  dataworker: '0xac80550000000000000000000000000000000000000000000000000000000002',
} as const satisfies Record<string, Hex>;

const RELAYER = privateKeyToAddress(ACROSS_KEYS.relayer);
const DATAWORKER = privateKeyToAddress(ACROSS_KEYS.dataworker);

const deployedAt = (nonce: bigint): Address => getContractAddress({ from: RELAYER, nonce });
const SPOKE_POOL_CODE = deployedAt(0n);

/** The same addresses on every local chain. */
export const ACROSS_CONTRACTS = {
  spokePool: deployedAt(1n),
  /** Runs the calls of a deposit's message with what was delivered. */
  multicallHandler: deployedAt(2n),
} as const;

/** Tokens that are bridged, and how much of each the relayer has, in whole tokens. */
const RELAYER_FUNDS = { WETH: '50000', USDC: '20000000', USDT: '20000000' } as const satisfies Partial<
  Record<TokenSymbol, string>
>;

/** Symbols of the tokens that are bridged: those that have a price in ether on both chains. */
export const ACROSS_TOKENS = ['WETH', 'USDC', 'USDT'] as const satisfies readonly (keyof typeof RELAYER_FUNDS)[];

/** Longest age of a quote and longest time to fill, in seconds, as on the main network. */
const DEPOSIT_QUOTE_TIME_BUFFER = 3600;
const FILL_DEADLINE_BUFFER = 21_600;
const NO_GATEWAY: Address = '0x0000000000000000000000000000000000000000';
const DATAWORKER_COIN = parseUnits('10000', 18);

const spokePool = parseAbi([
  'function initialize(uint32 initialDepositId, address withdrawalRecipient)',
  'function transferOwnership(address newOwner)',
]);
const token = parseAbi([
  'function mint(address to, uint256 value)',
  'function deposit() payable',
  'function approve(address spender, uint256 value)',
]);

/** Across V3 with its own contracts: the SpokePool behind its proxy, and a relayer with plenty to deliver. */
export const ACROSS_EXTENSION: ChainExtension = {
  name: 'across',
  deployer: RELAYER,
  calls: ({ tokens }) => [
    ...deployments(),
    ...ownership(),
    ...ACROSS_TOKENS.flatMap((symbol) => fundingCalls(tokens, symbol)),
  ],
};

const artifact = (name: string) => packagedArtifact(`@across-protocol/contracts/dist/evm/artifacts/${name}.json`);

function deployments(): readonly SetupCall[] {
  const buffers = [DEPOSIT_QUOTE_TIME_BUFFER, FILL_DEADLINE_BUFFER];
  // The proxy requires an initial call, and its deployer becomes the owner.
  const initialize = encodeFunctionData({ abi: spokePool, functionName: 'initialize', args: [0, DATAWORKER] });
  return [
    {
      label: 'the code of the SpokePool',
      data: initCode(artifact('Ethereum_SpokePool.sol/Ethereum_SpokePool'), [CANONICAL.weth, ...buffers, NO_GATEWAY]),
    },
    {
      label: 'the SpokePool',
      data: initCode(artifact('ERC1967Proxy.sol/ERC1967Proxy'), [SPOKE_POOL_CODE, initialize]),
    },
    {
      label: 'the MulticallHandler of Across',
      data: initCode(artifact('MulticallHandler.sol/MulticallHandler'), []),
    },
  ];
}

const ownership = (): readonly SetupCall[] => [
  {
    label: 'the owner of the SpokePool',
    to: ACROSS_CONTRACTS.spokePool,
    data: encodeFunctionData({ abi: spokePool, functionName: 'transferOwnership', args: [DATAWORKER] }),
  },
  { label: 'coin of the dataworker', to: DATAWORKER, value: DATAWORKER_COIN },
];

function fundingCalls(tokens: DevnetTokens, symbol: (typeof ACROSS_TOKENS)[number]): readonly SetupCall[] {
  const { address, decimals, deployment } = tokens[symbol];
  const amount = parseUnits(RELAYER_FUNDS[symbol], decimals);
  const funding =
    deployment === undefined
      ? { value: amount, data: encodeFunctionData({ abi: token, functionName: 'deposit' }) }
      : { data: encodeFunctionData({ abi: token, functionName: 'mint', args: [RELAYER, amount] }) };
  const approval = encodeFunctionData({
    abi: token,
    functionName: 'approve',
    args: [ACROSS_CONTRACTS.spokePool, maxUint256],
  });
  return [
    { label: `${symbol} of the relayer`, to: address, ...funding },
    { label: `approval of ${symbol} by the relayer`, to: address, data: approval },
  ];
}
