import fc from 'fast-check';
import { chains, DAI, PRICED } from '../../../test/swaps/swap-world';
import { isServiceError } from '../../errors/service-error';
import { parseQuoteRequest } from './parse-quote-request';

const deps = { chains, webhookUrls: { allowLoopback: false } };
const BENEFICIARY_FIELDS = [
  'bankAccountNumber',
  'bankRoutingNumber',
  'bankName',
  'bankBeneficiaryName',
  'beneficiaryStreetLine1',
  'beneficiaryCity',
  'beneficiaryState',
  'beneficiaryPostalCode',
  'beneficiaryCountry',
];

it('the arguments of a quote fail only with documented errors, whatever is sent', () => {
  const names = [
    ...Object.keys(PRICED),
    ...BENEFICIARY_FIELDS,
    'amountOut',
    'slippage',
    'output',
    'webhookURL',
    'pixKey',
  ];
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('devnet', DAI.address, '1', '', null, true, 'fiat'),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), value), (changes) => {
      try {
        parseQuoteRequest(deps, { ...PRICED, ...changes });
      } catch (error) {
        expect(isServiceError(error) && error.status < 500).toBe(true);
      }
    }),
  );
});
