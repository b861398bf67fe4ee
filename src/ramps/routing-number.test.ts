import { isRoutingNumber } from './routing-number';

describe('a routing number', () => {
  it.each(['021000021', '011401533', '121000358', '322271627', '111000025'])('is that of a bank: %s', (text) =>
    expect(isRoutingNumber(text)).toBe(true),
  );

  it.each([
    ['has a checksum that holds', '021000022'],
    ['is of a bank, not of the government', '000000000'],
    ['begins with a district', '500000005'],
    ['has nine digits', '02100002'],
    ['has no more', '0210000210'],
    ['is written in plain digits', '０２１００００２１'],
  ])('%s', (_, text) => expect(isRoutingNumber(text)).toBe(false));
});
