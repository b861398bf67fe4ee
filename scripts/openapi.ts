import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema } from 'graphql';
import { errorsPage } from '../gateway/rest/errors-page';
import { openApiText } from '../gateway/rest/openapi/openapi-document';
import { PROJECT_ROOT } from '../src/config/project-root';
import { keepGenerated } from './generated-files';

const schema = buildSchema(readFileSync(path.join(PROJECT_ROOT, 'gateway/api.graphql'), 'utf8'));

keepGenerated([
  { file: path.join(PROJECT_ROOT, 'docs/openapi.json'), content: openApiText(schema) },
  { file: path.join(PROJECT_ROOT, 'docs/errors.md'), content: errorsPage() },
]);
