import { encodeErrorResult, parseAbi, zeroAddress } from 'viem';
import { PROTOCOLS } from './protocols';

const ABI = parseAbi([
  'error Error(string)',
  'error Panic(uint256)',
  'error SupplyCapExceeded()',
  'error NotCollateralized()',
  'error NotSupported(address)',
  'error TransferOutFailed(address, uint256)',
]);
const textData = (text: string) => encodeErrorResult({ abi: ABI, errorName: 'Error', args: [text] });
const panic = encodeErrorResult({ abi: ABI, errorName: 'Panic', args: [0x11n] });

it.each([
  ['aave-v3', panic, /too little liquidity/],
  ['aave-v3', 'arithmetic overflow or underflow', /too little liquidity/],
  ['aave-v3', textData('51'), /full/],
  ['aave-v3', '51', /full/],
  ['aave-v3', encodeErrorResult({ abi: ABI, errorName: 'SupplyCapExceeded' }), /full/],
  ['aave-v3', 'reverted with the custom error 0x6d305815', /frozen/],
  ['aave-v3', textData('29'), /paused/],
  ['aave-v3', '0xd37f5f1c', /paused/],
  ['erc4626', 'ERC4626ExceededMaxDeposit(0x0000000000000000000000000000000000000001, 2, 1)', /accepts less/],
  ['erc4626', textData('too much loss'), /losses/],
  ['compound-v3', encodeErrorResult({ abi: ABI, errorName: 'NotCollateralized' }), /smaller than the withdrawal/],
  ['compound-v3', '0x9e87fac8', /paused/],
] as const)('%s explains %s', (name, reason, expected) => {
  expect(PROTOCOLS[name].explainRevert(reason)).toMatch(expected);
});

it.each(['aave-v3', 'erc4626', 'compound-v3'] as const)('%s does not guess at other reasons', (name) => {
  for (const reason of ['', '0x', '0x12345678', '510', 'a reason', textData('5')])
    expect(PROTOCOLS[name].explainRevert(reason)).toBeUndefined();
});

it.each([
  ['aave-v3', textData('TRANSFER_ERROR'), /too little of the reward token/],
  ['compound-v3', encodeErrorResult({ abi: ABI, errorName: 'NotSupported', args: [zeroAddress] }), /no rewards/],
  [
    'compound-v3',
    encodeErrorResult({ abi: ABI, errorName: 'TransferOutFailed', args: [zeroAddress, 5n] }),
    /too little of the reward token/,
  ],
  ['compound-v3', 'NotSupported(0x0000000000000000000000000000000000000001)', /no rewards/],
] as const)('%s explains the revert %s of a claim', (name, reason, expected) => {
  expect(PROTOCOLS[name].explainClaimRevert?.(reason)).toMatch(expected);
});

it.each(['aave-v3', 'compound-v3'] as const)(
  '%s gives a revert of a claim no reason of deposits and withdrawals',
  (name) => {
    for (const reason of ['', '0x', panic, textData('51'), '0x9e87fac8'])
      expect(PROTOCOLS[name].explainClaimRevert?.(reason)).toBeUndefined();
  },
);
