import {
  type Address,
  concatHex,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  pad,
  parseAbi,
  parseUnits,
  stringToHex,
} from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { initCode, ownArtifact, packagedArtifact } from '../artifacts';
import { CANONICAL } from '../canonical-addresses';
import type { ChainExtension } from '../chain-extension';
import type { SetupCall } from '../setup-transactions';

/** Keys of those who issue and settle stocks on the local chains: public, never send anything of value to them. */
export const STOCK_KEYS = {
  /** Settles orders at CoW Protocol. */
  solver: '0x57c0000000000000000000000000000000000000000000000000000000000001',
  /** Signs the prices of the issuer. */
  attester: '0x57c0000000000000000000000000000000000000000000000000000000000002',
  /** Sets the price feed. */
  feeder: '0x57c0000000000000000000000000000000000000000000000000000000000003',
} as const satisfies Record<string, Hex>;

/**
 * The account that CoW Protocol's authentication gave its first manager. The address of the authentication depends on it, and
 * that of the settlement on both. It deploys the issuer's contracts here as well.
 */
const MANAGER: Address = '0x6Fb5916c0f57f88004d5b5EB25f6f4D77353a1eD';

/** Where CoW Protocol is on every network, and therefore here. */
export const COW = {
  settlement: '0x9008D19f58AAbD9eD0D60971565AA8510560ab41',
  authentication: '0x2c4c28DDBdAc9C5E7055b4C863b72eA0149D8aFE',
} as const satisfies Record<string, Address>;

const AUTHENTICATION_CODE: Address = '0x9E7Ae8Bdba9AA346739792d219a808884996Db67';
/** Balancer's vault, which the local chains lack: orders with balances in it cannot be settled. */
const VAULT: Address = '0xBA12222222228d8Ba445958a75a0704d566BF2C8';
const SALT: Hex = stringToHex('Mattresses in Berlin!', { size: 32 });

/** Calls before the issuer's contracts, which have the addresses of the nonces that follow. */
const COW_CALLS = 4;
const deployedAt = (index: number): Address => getContractAddress({ from: MANAGER, nonce: BigInt(COW_CALLS + index) });

/** The same addresses on every local chain. */
export const STOCK_CONTRACTS = {
  registry: deployedAt(0),
  manager: deployedAt(1),
  priceFeed: deployedAt(2),
  token: deployedAt(3),
} as const;

/** The stock of the local chains. */
export const STOCK = { symbol: 'ACMEon', name: 'Acme Corporation (tokenized)', feedDecimals: 8, price: '200' } as const;
/** What the registry calls the settlement, in whose name the solver mints and redeems. */
export const SOLVER_USER_ID: Hex = pad('0x534f4c564552', { dir: 'right', size: 32 });

/** Dollars that the issuer has for redemptions. */
const RESERVE = parseUnits('100000000', 6);
const COIN = parseUnits('10000', 18);

const authentication = parseAbi(['function initializeManager(address manager)', 'function addSolver(address solver)']);
const registry = parseAbi(['function register(address account, bytes32 userId)']);
const mintable = parseAbi(['function mint(address to, uint256 value)']);

const cowArtifact = (name: string) => packagedArtifact(`@cowprotocol/contracts/deployments/bsc/${name}.json`);
const canonical = (label: string, code: Hex): SetupCall => ({
  label,
  to: CANONICAL.create2Factory,
  data: concatHex([SALT, code]),
});

/** CoW Protocol with its own contracts and one solver, and an issuer of tokenized stocks with a reserve. */
export const STOCK_EXTENSION: ChainExtension = {
  name: 'stocks',
  deployer: MANAGER,
  calls: ({ tokens: { USDT } }) => [
    ...settlementCalls(),
    deployment('StockIdRegistry', []),
    deployment('StockTokenManager', [
      ...[STOCK_CONTRACTS.registry, USDT.address, USDT.decimals, privateKeyToAddress(STOCK_KEYS.attester)],
    ]),
    deployment('PriceAggregator', [STOCK.feedDecimals, parseUnits(STOCK.price, STOCK.feedDecimals), 0n]),
    deployment('StockToken', [STOCK.name, STOCK.symbol, STOCK_CONTRACTS.manager]),
    {
      label: "the settlement in the issuer's registry",
      to: STOCK_CONTRACTS.registry,
      data: encodeFunctionData({ abi: registry, functionName: 'register', args: [COW.settlement, SOLVER_USER_ID] }),
    },
    {
      label: 'the reserve of the issuer',
      to: USDT.address,
      data: encodeFunctionData({ abi: mintable, functionName: 'mint', args: [STOCK_CONTRACTS.manager, RESERVE] }),
    },
    ...[STOCK_KEYS.solver, STOCK_KEYS.feeder].map((key) => ({
      label: 'coin of the solver and the feeder',
      to: privateKeyToAddress(key),
      value: COIN,
    })),
  ],
};

function settlementCalls(): readonly SetupCall[] {
  const initialize = encodeFunctionData({ abi: authentication, functionName: 'initializeManager', args: [MANAGER] });
  const solver = privateKeyToAddress(STOCK_KEYS.solver);
  return [
    canonical(
      "the code of CoW's authentication",
      initCode(cowArtifact('GPv2AllowListAuthentication_Implementation'), []),
    ),
    canonical(
      "CoW's authentication",
      initCode(cowArtifact('GPv2AllowListAuthentication_Proxy'), [AUTHENTICATION_CODE, MANAGER, initialize]),
    ),
    canonical("CoW's settlement", initCode(cowArtifact('GPv2Settlement'), [COW.authentication, VAULT])),
    {
      label: 'the solver of CoW',
      to: COW.authentication,
      data: encodeFunctionData({ abi: authentication, functionName: 'addSolver', args: [solver] }),
    },
  ];
}

const deployment = (contract: string, args: readonly unknown[]): SetupCall => ({
  label: `the contract ${contract}`,
  data: initCode(ownArtifact(contract), args),
});
