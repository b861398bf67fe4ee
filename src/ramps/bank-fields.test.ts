import { isRoutingNumber } from './bank-fields';

describe('a routing number', () => {
  it.each(['021000021', '011401533', '121000358', '322271627', '111000025'])('is valid for a bank: %s', (text) =>
    expect(isRoutingNumber(text)).toBe(true),
  );

  it.each([
    ['has a valid checksum', '021000022'],
    ['does not start with 00, which stands for the government', '000000000'],
    ['begins with a district', '500000005'],
    ['has at least nine digits', '02100002'],
    ['has at most nine digits', '0210000210'],
    ['consists of ASCII digits', '０２１００００２１'],
  ])('%s', (_, text) => expect(isRoutingNumber(text)).toBe(false));
});
