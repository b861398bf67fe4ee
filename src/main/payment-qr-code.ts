import type { PaymentQrCode } from '../../gateway/http/gateway-dependencies';
import { runForService } from '../persistence/customer-scope';
import { drawPaymentQrCode } from '../ramps/payment-qr-code';
import type { Infrastructure } from './infrastructure';

/** Opens the QR codes of payments; `undefined` without keys for personal data. */
export function openPaymentQrCode({ config, database, kyc }: Infrastructure): PaymentQrCode {
  if (config.PERSONAL_DATA_KEYS === undefined || config.BLIND_INDEX_KEY === undefined) {
    return () => Promise.resolve(undefined);
  }
  return (actionId, token) =>
    runForService('paymentQrCodes', () => drawPaymentQrCode({ database, vault: kyc.vault }, { actionId, token }));
}
