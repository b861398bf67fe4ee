import { tagCall } from './tag-call';

const call = { chainId: 1, from: '0xa', to: '0xb', data: '0xdeadbeef', value: 0n } as const;

describe('the tag of a call', () => {
  it('is the sixteen bytes of the action id, appended to the calldata', () => {
    expect(tagCall(call, '01890A5D-ac96-774b-bcce-b302099a8057')).toEqual({
      ...call,
      data: '0xdeadbeef01890a5dac96774bbcceb302099a8057',
    });
  });
});
