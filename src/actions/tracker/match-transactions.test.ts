import { hexToBytes, keccak256 } from 'viem';
import { callKeyOf } from './match-transactions';

const [ALICE, ROUTER] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`] as const;
const transaction = { from: ALICE, to: ROUTER, input: '0x0102', value: 5n } as const;
const key = callKeyOf(transaction);

describe('the key of a transaction', () => {
  it('is made of sender, target, value and the hash of the calldata', () => {
    expect(key).toEqual({
      form: 'CALL',
      sender: ALICE,
      target: ROUTER,
      value: '5',
      dataHash: hexToBytes(keccak256('0x0102')),
    });
  });

  it('differs when sender, target, calldata or value differ', () => {
    const others = [
      { ...transaction, from: ROUTER },
      { ...transaction, to: ALICE },
      { ...transaction, to: null },
      { ...transaction, input: '0x0103' as const },
      { ...transaction, value: 6n },
    ];
    for (const other of others) expect(callKeyOf(other)).not.toEqual(key);
  });

  it('is the same whatever the case in which the node writes addresses', () => {
    expect(callKeyOf({ ...transaction, from: `0x${'AA'.repeat(20)}`, to: `0x${'BB'.repeat(20)}` })).toEqual(key);
  });

  it('exists for a system transaction without sender, calldata and value', () => {
    expect(callKeyOf({} as never)).toMatchObject({ sender: '', target: '', value: '0' });
  });
});
