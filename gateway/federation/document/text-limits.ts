import { serviceError } from '../../../src/errors/service-error';

/** Maximum number of comments: each is a token that the limit of the parser does not count, and a megabyte has 500,000. */
export const MAX_COMMENTS = 1000;

/**
 * Checks the text of a document before it is parsed. Counts the number sign also inside strings.
 *
 * @throws DOCUMENT_LIMIT_EXCEEDED
 */
export function assertTextWithinLimits(text: string): void {
  let comments = 0;
  for (let at = text.indexOf('#'); at !== -1; at = text.indexOf('#', at + 1)) {
    comments += 1;
    if (comments > MAX_COMMENTS) {
      throw serviceError('DOCUMENT_LIMIT_EXCEEDED', { maximum: MAX_COMMENTS, counted: 'comments' });
    }
  }
}
