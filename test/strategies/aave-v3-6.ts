import path from 'node:path';
import { type Address, encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem';
import { type Artifact, artifactAt, initCode, linkedToAll, ownArtifact } from '../../devnet/artifacts';
import type { ChainExtension } from '../../devnet/chain-extension';
import { AAVE_ADMIN_ABI, PROVIDER_ABI } from '../../devnet/strategies/aave-abi';
import {
  AAVE_ADMIN,
  AAVE_CONFIGURATOR,
  AAVE_POOL,
  AAVE_PROVIDER,
  AAVE_RESERVES,
  AAVE_TREASURY,
  configureReserve,
  useMarket,
} from '../../devnet/strategies/aave-market';
import { createSetUpPlan, type SetUpPlan } from '../../devnet/strategies/set-up-plan';
import type { DevnetTokens } from '../../devnet/tokens';

/** Each may need those before it. */
const LIBRARIES = [
  ...['BorrowLogic', 'FlashLoanLogic', 'LiquidationLogic'],
  ...['PoolLogic', 'SupplyLogic', 'ConfiguratorLogic'],
];

const LISTING_ABI = parseAbi([
  'struct Reserve { address aTokenImpl; address variableDebtTokenImpl; address underlyingAsset; string aTokenName; string aTokenSymbol; string variableDebtTokenName; string variableDebtTokenSymbol; bytes params; bytes interestRateData; }',
  'function initReserves(Reserve[] input)',
]);

/** Basis points: 6 % a year where 90 % of the deposits are borrowed, rising by a further 60 %, as in the other version. */
const RATES = { optimalUsage: 9000, base: 0, slopeBelow: 600, slopeAbove: 6000 };

/**
 * The market of the local chains with the contracts of Aave V3.6, from their compiled artifacts: the same reserves, deposits, loans
 * and rewards, with the provider and the pool at the same addresses.
 */
export const aaveV36Extension = (artifacts: string): ChainExtension => ({
  name: 'aave-3.6',
  deployer: AAVE_ADMIN,
  calls({ tokens }) {
    const plan = createSetUpPlan(AAVE_ADMIN);
    const libraries: Record<string, Address> = {};
    const code = (name: string): Artifact => linkedToAll(artifactAt(path.join(artifacts, `${name}.json`)), libraries);
    const deploy: Deploy = (name, args = []) => plan.deploy(`${name} of Aave`, initCode(code(name), args));
    for (const name of LIBRARIES) libraries[`contracts/protocol/libraries/logic/${name}.sol:${name}`] = deploy(name);
    const controller = plan.deploy("Aave's RewardsController", initCode(ownArtifact('RewardsController'), []));
    const oracle = deploy('PriceOracle');
    const provider = deploy('PoolAddressesProvider', ['Local market', AAVE_ADMIN]);
    if (provider !== AAVE_PROVIDER) throw new Error('the strategies of the local chains name another provider');
    deployMarket(plan, tokens, { deploy, oracle });
    listReserves(plan, tokens, { deploy, controller });
    useMarket(plan, tokens, controller);
    return plan.calls;
  },
});

type Deploy = (name: string, args?: readonly unknown[]) => Address;

function deployMarket(
  plan: SetUpPlan,
  tokens: DevnetTokens,
  { deploy, oracle }: { readonly deploy: Deploy; readonly oracle: Address },
): void {
  const set = (functionName: (typeof PROVIDER_ABI)[number]['name'], address: Address): void =>
    plan.call(`${functionName} of Aave`, {
      to: AAVE_PROVIDER,
      data: encodeFunctionData({ abi: PROVIDER_ABI, functionName, args: [address] }),
    });
  set('setACLAdmin', AAVE_ADMIN);
  const roles = deploy('ACLManager', [AAVE_PROVIDER]);
  set('setACLManager', roles);
  const addAdmin = encodeFunctionData({ abi: AAVE_ADMIN_ABI, functionName: 'addPoolAdmin', args: [AAVE_ADMIN] });
  plan.call('the administrator of Aave', { to: roles, data: addAdmin });
  set('setPriceOracle', oracle);
  for (const { symbol, price } of AAVE_RESERVES) {
    const args = [tokens[symbol].address, price] as const;
    const data = encodeFunctionData({ abi: AAVE_ADMIN_ABI, functionName: 'setAssetPrice', args });
    plan.call(`the price of ${symbol} at Aave`, { to: oracle, data });
  }
  const rates = deploy('DefaultReserveInterestRateStrategyV2', [AAVE_PROVIDER]);
  set('setPoolImpl', deploy('PoolInstance', [AAVE_PROVIDER, rates]));
  set('setPoolConfiguratorImpl', deploy('PoolConfiguratorInstance'));
}

function listReserves(
  plan: SetUpPlan,
  tokens: DevnetTokens,
  { deploy, controller }: { readonly deploy: Deploy; readonly controller: Address },
): void {
  const aTokenImpl = deploy('ATokenInstance', [AAVE_POOL, controller, AAVE_TREASURY]);
  const variableDebtTokenImpl = deploy('VariableDebtTokenInstance', [AAVE_POOL, controller]);
  const { optimalUsage, base, slopeBelow, slopeAbove } = RATES;
  const interestRateData = encodeAbiParameters(
    [{ type: 'uint16' }, { type: 'uint32' }, { type: 'uint32' }, { type: 'uint32' }],
    [optimalUsage, base, slopeBelow, slopeAbove],
  );
  for (const reserve of AAVE_RESERVES) {
    const { symbol } = reserve;
    const input = {
      aTokenImpl,
      variableDebtTokenImpl,
      underlyingAsset: tokens[symbol].address,
      aTokenName: `Aave Local ${symbol}`,
      aTokenSymbol: `aLoc${symbol}`,
      variableDebtTokenName: `Aave Local Variable Debt ${symbol}`,
      variableDebtTokenSymbol: `variableDebtLoc${symbol}`,
      params: '0x',
      interestRateData,
    } as const;
    const data = encodeFunctionData({ abi: LISTING_ABI, functionName: 'initReserves', args: [[input]] });
    plan.call(`reserve ${symbol} of Aave`, { to: AAVE_CONFIGURATOR, data });
    configureReserve(plan, tokens, reserve);
  }
}
