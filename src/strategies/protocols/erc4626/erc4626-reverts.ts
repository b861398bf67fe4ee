import { revertText } from '../revert-text';

/** What a revert means, by a part of its reason: errors of OpenZeppelin, Yearn and Morpho. */
const MEANINGS: readonly (readonly [part: string, meaning: string])[] = [
  ['ERC4626ExceededMaxDeposit', 'The vault accepts less than this deposit at present.'],
  ['ERC4626ExceededMaxMint', 'The vault accepts less than this deposit at present.'],
  [
    'ERC4626ExceededMaxWithdraw',
    'The vault pays less than this withdrawal at present. Withdraw less, or try again later.',
  ],
  [
    'ERC4626ExceededMaxRedeem',
    'The vault pays less than this withdrawal at present. Withdraw less, or try again later.',
  ],
  ['exceed deposit limit', 'The vault accepts less than this deposit at present.'],
  ['too much loss', 'The vault would pay less than the shares are worth, because it has losses. Try again later.'],
  [
    'insufficient assets in vault',
    'The vault has too little liquidity for this withdrawal. Withdraw less, or try again later.',
  ],
  ['NotEnoughLiquidity', 'The vault has too little liquidity for this withdrawal. Withdraw less, or try again later.'],
  ['0x4323a555', 'The vault has too little liquidity for this withdrawal. Withdraw less, or try again later.'],
  ['EnforcedPause', 'The vault is paused.'],
];

export function explainVaultRevert(reason: string): string | undefined {
  const text = revertText(reason);
  return MEANINGS.find(([part]) => text.includes(part))?.[1];
}
