import { rampByName } from './ramp-names';

const BRANDS = { primary: 'Avenia', secondary: 'Unblockpay' };

describe('the name of a ramp', () => {
  it.each([
    [undefined, 'primary', 'Avenia'],
    ['', 'primary', 'Avenia'],
    ['PRIMARY', 'primary', 'primary'],
    ['avenia', 'primary', 'Avenia'],
    ['unblockPAY', 'secondary', 'Unblockpay'],
    ['Secondary', 'secondary', 'secondary'],
  ])('%j is understood in any case and echoed', (given, ramp, name) => {
    expect(rampByName(BRANDS, given)).toEqual({ ramp, name });
  });

  it('that nobody has is repeated to whoever sent it, as far as it is a name', () => {
    const ask = (given: string) => () => rampByName(BRANDS, given);
    expect(ask('relay')).toThrow('rampProvider "relay" is unknown');
    expect(ask('x'.repeat(100_000))).toThrow(new RegExp(`"x{64}"$`));
  });
});
