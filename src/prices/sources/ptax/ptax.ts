import { z } from 'zod';
import { FIAT_CHAIN_ID } from '../../../chains/chain';
import type { HttpClient } from '../../../http/http-client';
import { ONE_DOLLAR } from '../../../money/usd';
import { checkedObservation, priceOfNumber } from '../../checked-observation';
import type { PriceObservation, TokenPriceSource } from '../../token-price';
import { fetchFrom, parseBody } from '../price-request';

const PTAX = 'ptax';
const DAY_SECONDS = 86_400;
/** Longer than any number of holidays in a row. */
const MAX_AGE_SECONDS = 7 * DAY_SECONDS;
const RESOURCE =
  '/olinda/servico/PTAX/versao/v1/odata/CotacaoDolarPeriodo(dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)';

/** Response of `CotacaoDolarPeriodo`: reais for one dollar, with the time in Brasília. */
const rates = z.object({
  value: z
    .array(
      z.object({
        cotacaoCompra: z.number(),
        cotacaoVenda: z.number(),
        dataHoraCotacao: z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,6})?$/),
      }),
    )
    .max(20),
});

/**
 * The official rate of Brazil's central bank for bank reais, fixed on business days: the mean of its rates for buying and
 * selling dollars. On weekends and holidays it is the last one, with its age.
 *
 * @see https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/documentacao
 */
export const createPtaxSource = ({ http }: { readonly http: Pick<HttpClient, 'get'> }): TokenPriceSource => ({
  id: PTAX,
  cacheMs: 600_000,
  maxBatch: 1,
  covers: ({ chain, address }) => chain.chainId === FIAT_CHAIN_ID && address === 'BRL',
  async observe(tokens, signal) {
    const now = Date.now();
    const period = `@dataInicial='${dayText(now - MAX_AGE_SECONDS * 1000)}'&@dataFinalCotacao='${dayText(now)}'`;
    const options = '$top=1&$orderby=dataHoraCotacao%20desc&$format=json';
    const { value } = await fetchFrom(PTAX, async () =>
      parseBody(rates, await http.get(`${RESOURCE}?${period}&${options}`, {}, signal)),
    );
    const [last] = value;
    const observation = last && observationOf(last);
    return new Map(observation === undefined ? [] : tokens.map(({ address }) => [address, observation] as const));
  },
});

/** MM-DD-YYYY in Brasília, which has had no daylight saving time since 2019. */
function dayText(at: number): string {
  const [year = '', month = '', day = ''] = new Date(at - 3 * 3_600_000).toISOString().slice(0, 10).split('-');
  return `${month}-${day}-${year}`;
}

type Rate = z.output<typeof rates>['value'][number];

function observationOf({ cotacaoCompra, cotacaoVenda, dataHoraCotacao }: Rate): PriceObservation | undefined {
  const [buying, selling] = [priceOfNumber(cotacaoCompra), priceOfNumber(cotacaoVenda)];
  if (buying === undefined || selling === undefined) return undefined;
  return checkedObservation({
    usdE24: (2n * ONE_DOLLAR * ONE_DOLLAR) / (buying + selling),
    observedAt: Date.parse(`${dataHoraCotacao.replace(' ', 'T')}-03:00`) / 1000,
    maxAgeSeconds: MAX_AGE_SECONDS,
    source: PTAX,
    confidenceBps: 10_000,
    kind: 'oracle',
    isDaily: true,
  });
}
