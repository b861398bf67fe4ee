import { toEventSelector } from 'viem';

/** First topic of the logs of token transfers: `Transfer(address,address,uint256)`, of ERC-20 and ERC-721. In lower case. */
export const TRANSFER_TOPIC = toEventSelector('Transfer(address,address,uint256)');
