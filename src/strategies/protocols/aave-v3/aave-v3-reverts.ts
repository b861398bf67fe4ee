import { revertText } from '../revert-text';

/** What a revert means, by the number that versions up to 3.3 give as text and the selector that later ones have. */
const MEANINGS: readonly (readonly [number: string, selector: string, meaning: string])[] = [
  ['24', '0xccfad018', 'The amount is too small for a deposit in this market.'],
  ['26', '0x2c5211c6', 'The amount must be more than zero.'],
  ['27', '0x90cd6f24', 'The market is not active.'],
  ['28', '0x6d305815', 'The market is frozen: it takes no deposits.'],
  ['29', '0xd37f5f1c', 'The market is paused.'],
  ['32', '0x47bc4b2c', "The wallet's deposit is smaller than the withdrawal."],
  [
    '35',
    '0x6679996d',
    'The withdrawal would endanger the debt of the wallet in this market. Repay a part of it first.',
  ],
  ['51', '0xf58f733a', 'The market is full: it accepts no further deposits at present.'],
];

/** The text of Panic 0x11, which is how the Pool refuses to pay more than it has. */
const UNDERFLOW = 'arithmetic overflow or underflow';

export function explainAaveRevert(reason: string): string | undefined {
  const text = revertText(reason);
  if (text === UNDERFLOW)
    return 'The market has too little liquidity for this withdrawal. Withdraw less, or try again later.';
  return MEANINGS.find(([number, selector]) => text === number || text.includes(selector))?.[2];
}
