import { type Address, encodeFunctionData, getContractAddress, type Hex, maxUint256, parseAbi, parseUnits } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { initCode, ownArtifact } from '../artifacts';
import type { ChainExtension } from '../chain-extension';
import { TOKEN_ABI } from './aave-abi';
import { createSetUpPlan } from './set-up-plan';

/** Deploys the vaults and the Comet, and may pause the Comet: public, never send anything of value to it. */
export const VAULT_DEPLOYER_KEY: Hex = '0x7a01000000000000000000000000000000000000000000000000000000000001';

const DEPLOYER = privateKeyToAddress(VAULT_DEPLOYER_KEY);
const deployedAt = (nonce: bigint): Address => getContractAddress({ from: DEPLOYER, nonce });

/** The same addresses on every local chain. */
export const VAULTS = {
  steady: deployedAt(0n),
  gated: deployedAt(1n),
  exitFee: deployedAt(2n),
  comet: deployedAt(3n),
  cometRewards: deployedAt(4n),
  /** Deployed last, after the calls to the others. */
  requests: deployedAt(12n),
} as const;

/** Part of each withdrawal that the vault with a fee keeps. */
export const EXIT_FEE_BPS = 50;

/** Simple interest of a year, with 18 decimals. */
const rate = (percent: string): bigint => parseUnits(percent, 16);
/** Decimals that shares of vaults have more than their asset: what makes a donation to an empty vault unprofitable. */
const OFFSET = 6;
const FEE_RECIPIENT: Address = '0xfee0000000000000000000000000000000000001';

/** What the deployer lends to the Comet, and borrows from it, in USDC. */
const COMET_DEPOSIT = parseUnits('5000000', 6);
const COMET_LOAN = parseUnits('3500000', 6);

/** Reward tokens that the contract may pay. */
const REWARDS = parseUnits('100000000', 18);

const BORROWER: Address = '0xb0440000000000000000000000000000000000b1';

const COMET_ABI = parseAbi([
  'function supply(address asset, uint256 amount)',
  'function lend(uint256 amount)',
  'function setRewardConfig(address comet, address token, uint64 rescaleFactor)',
]);

/** Base units of the reward token for one of the six decimals in which a Comet counts. */
const REWARD_SCALE = 10n ** 12n;

/** Vaults that earn interest in USDC, and a market with the interface of Compound III. */
export const VAULT_EXTENSION: ChainExtension = {
  name: 'vaults',
  deployer: DEPLOYER,
  calls({ tokens: { USDC } }) {
    const usdc = USDC.address;
    const plan = createSetUpPlan(DEPLOYER);
    const deployContract = (artifact: string, args: readonly unknown[]): Address =>
      plan.deploy(`the contract ${artifact}`, initCode(ownArtifact(artifact), args));
    const deploy = (artifact: string, args: readonly unknown[]): Address => deployContract(artifact, [usdc, ...args]);
    deploy('YieldVault', ['Steady USDC', 'stUSDC', rate('5'), OFFSET]);
    deploy('GatedVault', ['Gated USDC', 'gtUSDC', rate('6'), OFFSET]);
    deploy('ExitFeeVault', ['Exit Fee USDC', 'efUSDC', rate('8'), OFFSET, EXIT_FEE_BPS, FEE_RECIPIENT]);
    const comet = deploy('Comet', [USDC.decimals, 'Local Comet USDC', 'clUSDC', BORROWER]);
    const rewards = deployContract('CometRewards', []);
    const reward = deployContract('FaucetToken', ['Local Compound', 'lCOMP', 18]);
    const call = (to: Address, data: Hex): void => plan.call('the deposits and rewards of the Comet', { to, data });
    call(usdc, encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [DEPLOYER, COMET_DEPOSIT] }));
    call(usdc, encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args: [comet, maxUint256] }));
    call(comet, encodeFunctionData({ abi: COMET_ABI, functionName: 'supply', args: [usdc, COMET_DEPOSIT] }));
    call(comet, encodeFunctionData({ abi: COMET_ABI, functionName: 'lend', args: [COMET_LOAN] }));
    const config = [comet, reward, REWARD_SCALE] as const;
    call(rewards, encodeFunctionData({ abi: COMET_ABI, functionName: 'setRewardConfig', args: config }));
    call(reward, encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [rewards, REWARDS] }));
    deploy('RequestVault', ['Requests USDC', 'rqUSDC', rate('5'), true, true]);
    return plan.calls;
  },
};
