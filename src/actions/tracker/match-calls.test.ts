import { hexToBytes, keccak256 } from 'viem';
import { callsCarriedOutBy, type OpenCall } from './match-calls';

const [ALICE, ROUTER] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`] as const;
const transaction = { from: ALICE, to: ROUTER, input: '0x0102', value: 5n } as const;
const call = (id: string, overrides: Partial<OpenCall> = {}): OpenCall => ({
  id,
  actionId: `action of ${id}`,
  customerId: 'c',
  stepIndex: 0,
  kind: 'SWAP',
  sender: ALICE,
  target: ROUTER,
  dataHash: hexToBytes(keccak256('0x0102')),
  value: '5',
  ...overrides,
});
const found = (calls: readonly OpenCall[], of: Parameters<typeof callsCarriedOutBy>[0] = transaction) =>
  callsCarriedOutBy(of, calls).map(({ id }) => id);

describe('a transaction', () => {
  it('carries out the first identical call', () => {
    expect(found([call('a'), call('b')])).toEqual(['a']);
  });

  it('carries out no call that differs in sender, target, calldata or value', () => {
    const others = [
      call('sender', { sender: ROUTER }),
      call('target', { target: ALICE }),
      call('data', { dataHash: hexToBytes(keccak256('0x0103')) }),
      call('value', { value: '6' }),
    ];
    expect(found(others)).toEqual([]);
    expect(found([call('a')], { ...transaction, to: null })).toEqual([]);
  });

  it('carries out every identical approval', () => {
    expect(found([call('a', { kind: 'APPROVAL' }), call('b', { kind: 'APPROVAL' })])).toEqual(['a', 'b']);
  });

  it('is matched whatever the case in which the node writes addresses', () => {
    const upper = { ...transaction, from: `0x${'AA'.repeat(20)}`, to: `0x${'BB'.repeat(20)}` } as const;
    expect(found([call('a')], upper)).toEqual(['a']);
  });
});
