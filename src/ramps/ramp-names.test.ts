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

  it('is repeated in the error message when it is unknown, up to 64 characters', () => {
    const resolve = (given: string) => () => rampByName(BRANDS, given);
    expect(resolve('relay')).toThrow('rampProvider "relay" is unknown');
    expect(resolve('x'.repeat(100_000))).toThrow(/"x{64}" is unknown/);
  });
});
