import type { Withdrawal, Charge, ChargedFee } from './resolved-operation';
import { buildPayable } from './payable-fees';
import { RefusedFeeError } from './simulate-strategy-operation';

const [COLLECTOR, PARTNER, OTHER] = ['0xa1', '0xb2', '0xc3'].map((end) => `0x${end.slice(2).padStart(40, '0')}`) as [
  string,
  string,
  string,
];
const feeOf = (recipient: string) => ({ recipient, amount: 1n }) as ChargedFee;
const charge: Charge = { fees: [feeOf(COLLECTOR), feeOf(PARTNER)], waiver: undefined };
const operation = { customerId: 'c', actionId: 'a', strategy: { row: { id: 's' } } } as unknown as Withdrawal;

/** Builds with a token that refuses the transfers of fees to `refused`. */
function builderOf(refused: string) {
  const deps = { positions: { log: { warn: jest.fn() } } } as never;
  const attempts: (readonly string[])[] = [];
  const build = ({ fees }: Charge) => {
    attempts.push(fees.map(({ recipient }) => recipient));
    const isRefused = refused === OTHER || fees.some(({ recipient }) => recipient === refused);
    return isRefused ? Promise.reject(new RefusedFeeError(refused)) : Promise.resolve('built');
  };
  return { attempts, built: buildPayable({ deps, operation }, charge, build) };
}

describe('a fee whose transfer is refused', () => {
  it('is left out, and the others are charged', async () => {
    const { attempts, built } = builderOf(COLLECTOR);
    expect(await built).toBe('built');
    expect(attempts).toEqual([[COLLECTOR, PARTNER], [PARTNER]]);
  });

  it('is a revert, at once, when no fee is for that account: a market may return the error of the router', async () => {
    const { attempts, built } = builderOf(OTHER);
    await expect(built).rejects.toMatchObject({ code: 'LENDING_BAD_REQUEST', details: { kind: 'REVERTED' } });
    expect(attempts).toHaveLength(1);
  });
});
