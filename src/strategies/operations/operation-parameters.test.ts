import { serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import { withOperationParameters } from './operation-parameters';

const swapError = validationError([
  { path: 'originAddress', message: 'is the owner. Use the smart account as originAddress' },
  { path: 'tokenIn', message: 'is not a token of its chain' },
  { path: 'tokenOut', message: 'must differ from tokenIn' },
  { path: 'destinationAddress', message: 'is a contract' },
]);

describe('an error of the swap of an operation', () => {
  it('names the parameters of the operation', () => {
    const lend = withOperationParameters(swapError, 'lend');
    expect(lend).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.not.stringMatching(/originAddress|tokenIn|tokenOut/),
      details: {
        errors: [
          { path: 'wallet', message: 'is the owner. Use the smart account as wallet' },
          { path: 'fromTokenAddress', message: 'is not a token of its chain' },
          { path: 'id', message: 'must differ from fromTokenAddress' },
          { path: 'destinationAddress', message: 'is a contract' },
        ],
      },
    });
    const paths = [{ path: 'wallet' }, { path: 'id' }, { path: 'toTokenAddress' }, { path: 'destinationAddress' }];
    expect(withOperationParameters(swapError, 'withdraw')).toMatchObject({ details: { errors: paths } });
  });

  it('of another kind stays as it is', () => {
    const other = serviceError('QUOTE_EXPIRED');
    expect(withOperationParameters(other, 'lend')).toBe(other);
    const plain = new Error('originAddress');
    expect(withOperationParameters(plain, 'lend')).toBe(plain);
  });
});
