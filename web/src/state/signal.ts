// A value changed, or something happened: whoever wants to know is called.

export type Stop = () => void;

export class Signal<T = void> {
    private readonly listeners = new Set<(value: T) => void>();

    on(listener: (value: T) => void): Stop {
        this.listeners.add(listener);
        return () => {
            this.listeners.delete(listener);
        };
    }

    emit(value: T): void {
        for (const listener of [...this.listeners]) listener(value);
    }
}
