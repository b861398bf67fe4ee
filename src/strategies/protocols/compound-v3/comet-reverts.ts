import { revertText } from '../revert-text';

/** What a revert means, by the name of Comet's error or its selector. */
const MEANINGS: readonly (readonly [name: string, selector: string, meaning: string])[] = [
  ['Paused', '0x9e87fac8', 'The market is paused.'],
  ['NotCollateralized', '0x14c5f7b6', "The wallet's deposit is smaller than the withdrawal."],
  ['BorrowTooSmall', '0xe273b446', "The wallet's deposit is smaller than the withdrawal."],
  [
    'TransferOutFailed',
    '0xcefaffeb',
    'The market has too little liquidity for this withdrawal. Withdraw less, or try again later.',
  ],
  ['TransferInFailed', '0xe7a3dfa0', 'The token could not be pulled from the wallet: balance or allowance is too low.'],
  ['SupplyCapExceeded', '0xf58f733a', 'The market is full: it accepts no further deposits at present.'],
];

export function explainCometRevert(reason: string): string | undefined {
  const text = revertText(reason);
  return MEANINGS.find(([name, selector]) => text === name || text.includes(selector))?.[2];
}
