/**
 * What the service uses of a library beyond its documentation is in files `*-insides`, each with a test beside it, and
 * in the list of docs/private-insides.md. No other file reaches into a library.
 *
 * Types decide, because syntax alone cannot: most such uses look like any other cast, assignment or class. What a type
 * declares is taken for promised. So a use of a declared member that the documentation does not have is not found.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages without `exports` whose documentation names these folders or files. */
const DOCUMENTED_FILES = /^(pdfjs-dist\/(package\.json|legacy\/build\/)|swagger-ui-dist\/)/;

/** Names of PostgreSQL and Citus whose meaning no manual has. */
const UNDOCUMENTED_SQL = /\b(pg_dist_\w+|shard_name|ts_rank(_cd)?)\b/;

/** What is declared in a package; what TypeScript's own library declares is the standard's. */
const isOfPackage = ({ fileName }: ts.SourceFile): boolean =>
  fileName.includes('/node_modules/') && !fileName.includes('/node_modules/typescript/lib/');

/** The parts of a union or an intersection; of another type, itself. */
const partsOf = (type: ts.Type): ts.Type[] =>
  type.isUnionOrIntersection() ? type.types.flatMap(partsOf) : [type];

const isDeclaredByPackage = (symbol: ts.Symbol | undefined): boolean =>
  symbol?.declarations?.some((declaration) => isOfPackage(declaration.getSourceFile())) ?? false;

const isOfLibrary = (type: ts.Type): boolean =>
  partsOf(type).some(({ symbol }) => isDeclaredByPackage(symbol));

/** `(value as unknown as Other)` → `value` */
function withoutCasts(node: ts.Expression): ts.Expression {
  return ts.isAsExpression(node) || ts.isParenthesizedExpression(node) ? withoutCasts(node.expression) : node;
}

const isUnknownCast = (node: ts.Expression): boolean =>
  ts.isAsExpression(node) && node.type.kind === ts.SyntaxKind.UnknownKeyword;

/** Whether a member is a method, or holds an object of a class: code replaces neither where a library allows it. */
function isBehaviour(checker: ts.TypeChecker, member: ts.Symbol | undefined): boolean {
  return (member?.declarations ?? []).some((declaration) => {
    if (ts.isMethodDeclaration(declaration) || ts.isMethodSignature(declaration)) return true;
    if (!ts.isPropertyDeclaration(declaration) || declaration.type === undefined) return false;
    if (ts.isFunctionTypeNode(declaration.type)) return true;
    const { symbol } = checker.getTypeFromTypeNode(declaration.type);
    return Boolean(symbol?.flags & ts.SymbolFlags.Class);
  });
}

/** Says how a node reaches into a library; undefined where it does not. */
type Rule = (node: ts.Node, checker: ts.TypeChecker) => string | undefined | false;

const castsIntoLibrary: Rule = (node, checker) => {
  if (!ts.isAsExpression(node) || isUnknownCast(node)) return;
  const from = checker.getTypeAtLocation(withoutCasts(node));
  // Where an index declares members of any name, as that of a JSON schema does, none is added.
  if (!isOfLibrary(from) || from.getStringIndexType()) return;
  if (isUnknownCast(node.expression)) return 'casts an object of a library by `unknown`';
  const declared = new Set(partsOf(from).flatMap((part) => part.getProperties().map(({ name }) => name)));
  const added = checker.getTypeAtLocation(node).getProperties();
  return (
    added.some(({ name }) => !declared.has(name)) && 'casts an object of a library to have further members'
  );
};

const readsPrivateMember: Rule = (node, checker) => {
  if (!ts.isElementAccessExpression(node) || !ts.isStringLiteralLike(node.argumentExpression)) return;
  const member = checker.getTypeAtLocation(node.expression).getProperty(node.argumentExpression.text);
  const isPrivate = member?.declarations?.some(
    (declaration) =>
      isOfPackage(declaration.getSourceFile()) &&
      ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected),
  );
  return isPrivate && 'reads a private member of a library';
};

const extendsClass: Rule = (node, checker) =>
  ts.isClassLike(node) &&
  node.heritageClauses?.some(
    ({ token, types }) =>
      token === ts.SyntaxKind.ExtendsKeyword &&
      types.some((type) => isOfLibrary(checker.getTypeAtLocation(type))),
  ) &&
  'extends a class of a library';

const replacesMember: Rule = (node, checker) =>
  ts.isBinaryExpression(node) &&
  node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
  ts.isPropertyAccessExpression(node.left) &&
  isOfLibrary(checker.getTypeAtLocation(node.left.expression)) &&
  isBehaviour(checker, checker.getSymbolAtLocation(node.left.name)) &&
  'replaces a part of a library';

const usesPrototype: Rule = (node) =>
  ts.isPropertyAccessExpression(node) && node.name.text === 'prototype' && 'uses a prototype';

const REFLECTION = /^(Reflect\.\w+|Object\.(assign|create|defineProperty|defineProperties|setPrototypeOf))$/;

const reflects: Rule = (node, checker) => {
  if (!ts.isCallExpression(node) || !REFLECTION.test(node.expression.getText())) return;
  const [target, ...assigned] = node.arguments.map((each) => checker.getTypeAtLocation(each));
  if (target === undefined || !isOfLibrary(target)) return;
  const isDeclared = (member: ts.Symbol) => {
    const declared = checker.getPropertyOfType(target, member.name);
    return declared !== undefined && !isBehaviour(checker, declared);
  };
  const isPlain =
    node.expression.getText() === 'Object.assign' &&
    assigned.every((each) => each.getProperties().every(isDeclared));
  return !isPlain && 'changes an object of a library by reflection';
};

/** `@scope/name/file` → `@scope/name` */
const packageOf = (specifier: string): string =>
  specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

function isFileOfPackage(specifier: string): boolean {
  const name = packageOf(specifier);
  const description = join(root, 'node_modules', name, 'package.json');
  return (
    specifier !== name &&
    existsSync(description) &&
    !('exports' in JSON.parse(readFileSync(description, 'utf8')))
  );
}

const LOADS = /^(import|import\.meta\.resolve|require|.*\bcreateRequire\(.*\)(\.resolve)?)$/;

const loadsFile: Rule = (node) => {
  const isLoaded =
    ts.isStringLiteralLike(node) &&
    (ts.isImportDeclaration(node.parent) ||
      ts.isExportDeclaration(node.parent) ||
      (ts.isCallExpression(node.parent) && LOADS.test(node.parent.expression.getText())));
  return (
    isLoaded && isFileOfPackage(node.text) && !DOCUMENTED_FILES.test(node.text) && 'loads a file of a package'
  );
};

const writesSql: Rule = (node) =>
  (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) &&
  UNDOCUMENTED_SQL.test(node.text) &&
  'uses what PostgreSQL’s manual does not promise';

const RULES = [
  castsIntoLibrary,
  readsPrivateMember,
  extendsClass,
  replacesMember,
  usesPrototype,
  reflects,
  loadsFile,
  writesSql,
];

/** `src/http/app.ts:12: extends a class of a library`, for each place of a file. */
function findUses(source: ts.SourceFile, checker: ts.TypeChecker): string[] {
  const uses: string[] = [];
  const visit = (node: ts.Node): void => {
    for (const rule of RULES) {
      const use = rule(node, checker);
      if (!use) continue;
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      uses.push(`${source.fileName.slice(root.length)}:${line + 1}: ${use}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return uses;
}

/** Loads the code of the product that a tsconfig.json names, and the file `seeded`, if it is given. */
function load(config: string, seeded?: { fileName: string; text: string }): ts.Program {
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(config, ts.sys.readFile).config,
    ts.sys,
    dirname(config),
  );
  const ours = fileNames.filter(
    (file) => file.startsWith(`${root}src/`) && !/\.test\.tsx?$|\/testing\//.test(file),
  );
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === seeded?.fileName || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === seeded?.fileName
      ? ts.createSourceFile(name, seeded.text, ts.ScriptTarget.ESNext, true)
      : getSourceFile(name, ...rest);
  return ts.createProgram(seeded ? [...ours, seeded.fileName] : ours, options, host);
}

/** One line for each kind of use, and some that are none. */
const SEEDED = {
  fileName: join(root, 'src/database/seeded.ts'),
  text: `
import { Server } from 'node:net';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { OpenAPIBackend } from 'openapi-backend';
import pg from 'pg';
export const id = (client: pg.Client) => client as unknown as { processID: number };
export const key = (client: pg.Client) => client as pg.Client & { secretKey: number };
export const warn = (api: OpenAPIBackend) => api['warnings'];
export class Mine extends pg.Query {}
export const quicken = (api: OpenAPIBackend) => void (api.router.getOperations = () => []);
export const replace = (api: OpenAPIBackend, other: OpenAPIBackend) => void (api.router = other.router);
export const close = (server: Server) => Server.prototype.close.call(server);
export const hide = (client: pg.Client) => Object.defineProperty(client, 'ssl', { value: true });
export const add = (client: pg.Client) => Object.assign(client, { isOurs: true });
export const read = (client: pg.Client) => Reflect.get(client, 'processID');
export const nodes = 'SELECT nodename FROM pg_dist_node';
// From here on, all is allowed.
export type Context = DataValidationCxt;
export class Failure extends Error {}
export const limit = (server: Server) => void (server.maxConnections = 9);
export const address = (server: Server) => (server.address() as { port: number }).port;
export const moved = (url: URL) => Object.assign(url, { pathname: '/' });
export const has = (client: pg.Client) => 'readyForQuery' in client; // it copes without
export const table = Object.assign(Object.create(null), { a: 1 });
`,
};

/** Both tests below use it: to load all code takes seconds. */
const product = load(join(root, 'tsconfig.json'), SEEDED);

test('each kind of use is found, and nothing that a library allows', () => {
  const source = product.getSourceFile(SEEDED.fileName);
  const lines = SEEDED.text.split('\n');
  const allowed = lines.findIndex((line) => line.startsWith('// From here on'));
  const seeded = lines.flatMap((line, i) =>
    /^export|DataValidationCxt }/.test(line) && i < allowed ? [i + 1] : [],
  );
  const found = source ? findUses(source, product.getTypeChecker()) : [];
  expect(found.map((use) => Number(/:(\d+):/.exec(use)?.[1]))).toEqual(seeded);
});

test.each([
  ['the service and the client', product],
  ['the console', load(join(root, 'src/console/tsconfig.json'))],
])('%s: only files `*-insides` reach into a library', (_, program) => {
  const checker = program.getTypeChecker();
  const ours = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(`${root}src/`) && fileName !== SEEDED.fileName);
  expect(ours.length).toBeGreaterThan(20);
  const uses = ours
    .filter(({ fileName }) => !fileName.endsWith('-insides.ts'))
    .flatMap((source) => findUses(source, checker));
  expect(
    uses,
    'Move these to a file `*-insides.ts`, with a test beside it: see docs/private-insides.md',
  ).toEqual([]);
});

test('docs/private-insides.md lists each file `*-insides`, and each has its test beside it', () => {
  const page = readFileSync(join(root, 'docs/private-insides.md'), 'utf8');
  const listed = [...page.matchAll(/\]\(\.\.\/(src\/[^)]+-insides\.\w+)\)/g)].map(([, file = '']) => file);
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /-insides\.(ts|tsx|mjs)$/.test(file))
    .map((file) => `src/${file}`);
  expect([...new Set(listed)].toSorted()).toEqual(files.toSorted());
  const untested = files.filter(
    (file) => !existsSync(join(root, dirname(file), `${basename(file).replace(/\.\w+$/, '')}.test.ts`)),
  );
  expect(untested).toEqual([]);
});
