// What TAP has no line for: a file of tests that failed before, between or after its tests, with the reason.
// The tests of such a file are reported as skipped, which alone would look like nothing to worry about.
import { relative } from 'node:path';
import type { Reporter, TestModule, TestSuite } from 'vitest/node';

function tell(where: string, errors: readonly { message: string; stack?: string }[]): void {
    for (const error of errors) {
        console.log(`not ok - ${where}`);
        console.log((error.stack ?? error.message).replace(/^/gm, '# '));
    }
}

export default class implements Reporter {
    onTestModuleEnd(module: TestModule): void {
        tell(`${relative('', module.moduleId)} could not be run`, module.errors());
    }

    onTestSuiteResult(suite: TestSuite): void {
        tell(`${suite.fullName} could not be run`, suite.errors());
    }
}
