import { type Address, encodeFunctionData, getContractAddress, type Hex, maxUint256, parseUnits } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { type Artifact, initCode, linkedToAll, ownArtifact, packagedArtifact } from '../artifacts';
import type { ChainExtension } from '../chain-extension';
import type { DevnetTokens } from '../tokens';
import { AAVE_ADMIN_ABI, AAVE_POOL_ABI, PROVIDER_ABI, REWARDS_CONTROLLER_ABI, TOKEN_ABI } from './aave-abi';
import { createSetUpPlan, type SetUpPlan } from './set-up-plan';

/** Key of the administrator of Aave's market on the local chains: public, never send anything of value to it. */
export const AAVE_ADMIN_KEY: Hex = '0xaa7e000000000000000000000000000000000000000000000000000000000001';

/** Deploys the market, administers it, and is its first depositor and its only borrower. */
export const AAVE_ADMIN = privateKeyToAddress(AAVE_ADMIN_KEY);

/** Each may need those before it. */
const LIBRARIES = [
  ...['BorrowLogic', 'BridgeLogic', 'EModeLogic', 'FlashLoanLogic'],
  ...['LiquidationLogic', 'PoolLogic', 'SupplyLogic', 'ConfiguratorLogic'],
];

/** The PoolAddressesProvider, at the same address on every local chain: it comes after the libraries. */
export const AAVE_PROVIDER: Address = getContractAddress({ from: AAVE_ADMIN, nonce: BigInt(LIBRARIES.length) });
/** The PoolConfigurator: the second proxy that the provider creates. The first one is the Pool. */
export const AAVE_CONFIGURATOR: Address = getContractAddress({ from: AAVE_PROVIDER, nonce: 2n });
export const AAVE_POOL: Address = getContractAddress({ from: AAVE_PROVIDER, nonce: 1n });
/** The aToken of the first reserve: the first proxy that the PoolConfigurator creates. */
const REWARDED: Address = getContractAddress({ from: AAVE_CONFIGURATOR, nonce: 1n });

const artifact = (file: string): Artifact => packagedArtifact(`@aave/core-v3/artifacts/contracts/${file}.json`);
const ray = (percent: string): bigint => parseUnits(percent, 25);

/** Interest: 6 % a year where 90 % of the deposits are borrowed, rising by a further 60 % up to all of them. */
const RATES = {
  optimalUsage: ray('90'),
  base: 0n,
  slopeBelow: ray('6'),
  slopeAbove: ray('60'),
  // Loans at a fixed rate are not enabled.
  stable: [ray('0.5'), ray('60'), ray('1'), ray('8'), ray('20')],
};
/** Part of the interest that the treasury gets, in basis points. */
const RESERVE_FACTOR = 1000n;
/** Reward tokens for all deposits of the first reserve: those of a second, all of them, and the last second. */
const EMISSION = parseUnits('100', 18) / 86_400n;
const REWARDS = parseUnits('100000000', 18);
const REWARDS_END = BigInt(Date.UTC(2100, 0) / 1000);
export const AAVE_TREASURY: Address = '0x7ea5000000000000000000000000000000000001';
const VARIABLE_RATE = 2n;

interface ReservePlan {
  readonly symbol: 'USDC' | 'WETH';
  /** Dollars with 8 decimals. */
  readonly price: bigint;
  /** Basis points of the collateral's value. */
  readonly loanToValue: bigint;
  readonly liquidationThreshold: bigint;
  /** Whole tokens that the administrator deposits and borrows. */
  readonly deposited: string;
  readonly borrowed: string;
}

export const AAVE_RESERVES: readonly ReservePlan[] = [
  {
    symbol: 'USDC',
    price: parseUnits('1', 8),
    loanToValue: 7700n,
    liquidationThreshold: 8000n,
    deposited: '10000000',
    borrowed: '6000000',
  },
  {
    symbol: 'WETH',
    price: parseUnits('3000', 8),
    loanToValue: 8000n,
    liquidationThreshold: 8250n,
    deposited: '5000',
    borrowed: '2000',
  },
];
const LIQUIDATION_BONUS = 10_500n;

/** Aave V3 as its authors have compiled it, with two reserves, a borrower, and rewards for deposits into the first reserve. */
export const AAVE_EXTENSION: ChainExtension = {
  name: 'aave',
  deployer: AAVE_ADMIN,
  calls({ tokens }) {
    const plan = createSetUpPlan(AAVE_ADMIN);
    const linked = deployLibraries(plan);
    deployMarket(plan, { linked, tokens });
    const controller = plan.deploy("Aave's RewardsController", initCode(ownArtifact('RewardsController'), []));
    listReserves(plan, tokens, controller);
    useMarket(plan, tokens, controller);
    return plan.calls;
  },
};

/** Rewards for deposits into the first reserve, and the deposits and loans of the administrator. */
export function useMarket(plan: SetUpPlan, tokens: DevnetTokens, rewardsController: Address): void {
  payRewards(plan, rewardsController);
  for (const reserve of AAVE_RESERVES) deposit(plan, tokens, reserve);
  for (const reserve of AAVE_RESERVES) borrow(plan, tokens, reserve);
}

type Link = (artifact: Artifact) => Artifact;

function deployLibraries(plan: SetUpPlan): Link {
  const addresses: Record<string, Address> = {};
  const linked: Link = (code) => linkedToAll(code, addresses);
  for (const name of LIBRARIES) {
    const file = `protocol/libraries/logic/${name}.sol`;
    const library = linked(artifact(`${file}/${name}`));
    addresses[`contracts/${file}:${name}`] = plan.deploy(`the library ${name} of Aave`, library.bytecode);
  }
  return linked;
}

function deployMarket(plan: SetUpPlan, { linked, tokens }: { linked: Link; tokens: DevnetTokens }): void {
  const configuration = 'protocol/configuration';
  const provider = plan.deploy(
    "Aave's PoolAddressesProvider",
    initCode(artifact(`${configuration}/PoolAddressesProvider.sol/PoolAddressesProvider`), [
      'Local market',
      AAVE_ADMIN,
    ]),
  );
  const set = (functionName: (typeof PROVIDER_ABI)[number]['name'], address: Address): void =>
    plan.call(`${functionName} of Aave`, {
      to: provider,
      data: encodeFunctionData({ abi: PROVIDER_ABI, functionName, args: [address] }),
    });
  const deploy = (file: string): Address => {
    const code = linked(artifact(file));
    const hasArguments = code.abi.some((item) => item.type === 'constructor' && item.inputs.length > 0);
    return plan.deploy(`${file} of Aave`, initCode(code, hasArguments ? [provider] : []));
  };

  set('setACLAdmin', AAVE_ADMIN);
  const roles = deploy(`${configuration}/ACLManager.sol/ACLManager`);
  set('setACLManager', roles);
  const addAdmin = encodeFunctionData({ abi: AAVE_ADMIN_ABI, functionName: 'addPoolAdmin', args: [AAVE_ADMIN] });
  plan.call('the administrator of Aave', { to: roles, data: addAdmin });
  set('setPoolDataProvider', deploy('misc/AaveProtocolDataProvider.sol/AaveProtocolDataProvider'));
  const oracle = deploy('mocks/oracle/PriceOracle.sol/PriceOracle');
  set('setPriceOracle', oracle);
  for (const { symbol, price } of AAVE_RESERVES) {
    const args = [tokens[symbol].address, price] as const;
    const data = encodeFunctionData({ abi: AAVE_ADMIN_ABI, functionName: 'setAssetPrice', args });
    plan.call(`the price of ${symbol} at Aave`, { to: oracle, data });
  }
  set('setPoolImpl', deploy('protocol/pool/Pool.sol/Pool'));
  set('setPoolConfiguratorImpl', deploy('protocol/pool/PoolConfigurator.sol/PoolConfigurator'));
}

function payRewards(plan: SetUpPlan, controller: Address): void {
  const reward = plan.deploy('the reward of Aave', initCode(ownArtifact('FaucetToken'), ['Local Aave', 'lAAVE', 18]));
  const call = (to: Address, data: Hex): void => plan.call('the rewards of Aave', { to, data });
  const args = [REWARDED, reward, EMISSION, REWARDS_END] as const;
  call(controller, encodeFunctionData({ abi: REWARDS_CONTROLLER_ABI, functionName: 'configure', args }));
  call(reward, encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [controller, REWARDS] }));
}

function listReserves(plan: SetUpPlan, tokens: DevnetTokens, incentivesController: Address): void {
  const tokenCode = (name: string): Address =>
    plan.deploy(`the ${name} of Aave`, initCode(artifact(`protocol/tokenization/${name}.sol/${name}`), [AAVE_POOL]));
  const [aToken, stableDebt, variableDebt] = [
    tokenCode('AToken'),
    tokenCode('StableDebtToken'),
    tokenCode('VariableDebtToken'),
  ];
  const strategy = 'protocol/pool/DefaultReserveInterestRateStrategy.sol/DefaultReserveInterestRateStrategy';
  const { optimalUsage, base, slopeBelow, slopeAbove, stable } = RATES;
  const rates = plan.deploy(
    "Aave's interest rates",
    initCode(artifact(strategy), [AAVE_PROVIDER, optimalUsage, base, slopeBelow, slopeAbove, ...stable]),
  );
  for (const reserve of AAVE_RESERVES) {
    const { symbol } = reserve;
    const { address, decimals } = tokens[symbol];
    const input = {
      aTokenImpl: aToken,
      stableDebtTokenImpl: stableDebt,
      variableDebtTokenImpl: variableDebt,
      underlyingAssetDecimals: decimals,
      interestRateStrategyAddress: rates,
      underlyingAsset: address,
      treasury: AAVE_TREASURY,
      incentivesController,
      aTokenName: `Aave Local ${symbol}`,
      aTokenSymbol: `aLoc${symbol}`,
      variableDebtTokenName: `Aave Local Variable Debt ${symbol}`,
      variableDebtTokenSymbol: `variableDebtLoc${symbol}`,
      stableDebtTokenName: `Aave Local Stable Debt ${symbol}`,
      stableDebtTokenSymbol: `stableDebtLoc${symbol}`,
      params: '0x',
    } as const;
    const data = encodeFunctionData({ abi: AAVE_ADMIN_ABI, functionName: 'initReserves', args: [[input]] });
    plan.call(`reserve ${symbol} of Aave`, { to: AAVE_CONFIGURATOR, data });
    configureReserve(plan, tokens, reserve);
  }
}

/** What a reserve that is listed needs before it can be lent and borrowed. */
export function configureReserve(
  plan: SetUpPlan,
  tokens: DevnetTokens,
  { symbol, loanToValue, liquidationThreshold }: ReservePlan,
): void {
  const abi = AAVE_ADMIN_ABI;
  const { address } = tokens[symbol];
  const asCollateral = [address, loanToValue, liquidationThreshold, LIQUIDATION_BONUS] as const;
  const configure = (label: string, data: Hex): void =>
    plan.call(`${label} ${symbol} of Aave`, { to: AAVE_CONFIGURATOR, data });
  configure(
    'collateral',
    encodeFunctionData({ abi, functionName: 'configureReserveAsCollateral', args: asCollateral }),
  );
  configure('loans of', encodeFunctionData({ abi, functionName: 'setReserveBorrowing', args: [address, true] }));
  configure(
    'reserve factor of',
    encodeFunctionData({ abi, functionName: 'setReserveFactor', args: [address, RESERVE_FACTOR] }),
  );
}

function deposit(plan: SetUpPlan, tokens: DevnetTokens, { symbol, deposited }: ReservePlan): void {
  const { address, decimals, deployment } = tokens[symbol];
  const amount = parseUnits(deposited, decimals);
  const label = `${symbol} of Aave's administrator`;
  const funding =
    deployment === undefined
      ? { value: amount, data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'deposit' }) }
      : { data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [AAVE_ADMIN, amount] }) };
  plan.call(label, { to: address, ...funding });
  const approval = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args: [AAVE_POOL, maxUint256] });
  plan.call(`approval of ${label}`, { to: address, data: approval });
  const supply = { abi: AAVE_POOL_ABI, functionName: 'supply', args: [address, amount, AAVE_ADMIN, 0] } as const;
  plan.call(`deposit of ${label}`, { to: AAVE_POOL, data: encodeFunctionData(supply) });
}

function borrow(plan: SetUpPlan, tokens: DevnetTokens, { symbol, borrowed }: ReservePlan): void {
  const { address, decimals } = tokens[symbol];
  const args = [address, parseUnits(borrowed, decimals), VARIABLE_RATE, 0, AAVE_ADMIN] as const;
  const data = encodeFunctionData({ abi: AAVE_POOL_ABI, functionName: 'borrow', args });
  plan.call(`loan of ${symbol} of Aave's administrator`, { to: AAVE_POOL, data });
}
