// The state of the service, and its counters, in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    'Connected again.': 'Wieder verbunden.',
    Connecting: 'Verbindet',
    'Does not answer': 'Antwortet nicht',
    'Few answered': 'Wenige beantwortet',
    Live: 'Live',
    'Not shown': 'Nicht gezeigt',
    'Only {share} answered for {time}: the others find no company in time.':
        'Seit {time} nur {share} beantwortet: Die anderen finden nicht rechtzeitig Gesellschaft.',
    Overloaded: 'Überlastet',
    'Provider away': 'Anbieter fort',
    'Provider away for {time}: {fail}': 'Anbieter seit {time} nicht erreichbar: {fail}',
    'Provider not believed': 'Anbieter unglaubwürdig',
    'Provider refuses': 'Anbieter lehnt ab',
    'Provider refuses to answer for {time}: {fail}': 'Anbieter lehnt seit {time} ab: {fail}',
    'Provider sends what cannot be true for {time}: {fail}':
        'Anbieter schickt seit {time} Unmögliches: {fail}',
    'Provider unsteady': 'Anbieter unzuverlässig',
    'Provider unsteady for {time}: {fail}': 'Anbieter seit {time} unzuverlässig: {fail}',
    'Questions fail': 'Anfragen scheitern',
    'Questions have failed for {time}: {fail}': 'Seit {time} scheitern Anfragen: {fail}',
    Record: 'Aufzeichnung',
    'Service overloaded for {time}: {fail}': 'Dienst seit {time} überlastet: {fail}',
    'Show me': 'Zeigen',
    'Since the service started': 'Seit dem Start des Dienstes',
    'The service does not accept this token: it may have expired, or be that of another service.':
        'Der Dienst nimmt diesen Token nicht an: Er ist vielleicht abgelaufen oder gehört zu einem anderen Dienst.',
    'The service does not answer. Trying again in {seconds} s.':
        'Der Dienst antwortet nicht. Nächster Versuch in {seconds} s.',
    'The service does not answer. Trying again.':
        'Der Dienst antwortet nicht. Es wird wieder versucht.',
    'This service does not show what happens. Asking still works.':
        'Dieser Dienst zeigt nicht, was geschieht. Fragen können Sie trotzdem.',
    'This service shows what happens only on its own machine. Asking still works.':
        'Dieser Dienst zeigt nur auf dem eigenen Rechner, was geschieht. Fragen können Sie trotzdem.',
    'This service shows what happens only to clients with a token.':
        'Dieser Dienst zeigt nur mit einem Token, was geschieht.',
    'Try now': 'Jetzt versuchen',
    'Workers missing': 'Worker fehlen',
    answered: 'beantwortet',
    'cloaks sent': 'Tarnungen abgeschickt',
    failed: 'gescheitert',
    'more than {time}': 'mehr als {time}',
    'no cloak found': 'ohne Tarnung',
    'questions that find company fail.': 'Anfragen, die Gesellschaft finden, scheitern.',
    travellers: 'Reisende',
    wait: 'warten',
    '{count} part of the map has had no worker for {time}: questions there wait in vain.':
        '{count} Teil der Karte ist seit {time} ohne Worker: Anfragen dort warten vergeblich.',
    '{count} parts of the map have had no worker for {time}: questions there wait in vain.':
        '{count} Teile der Karte sind seit {time} ohne Worker: Anfragen dort warten vergeblich.',
    '{count} worker missing for {time}: the others serve its parts.':
        '{count} Worker fehlt seit {time}: Die anderen bedienen seine Teile.',
    '{count} workers missing for {time}: the others serve their parts.':
        '{count} Worker fehlen seit {time}: Die anderen bedienen ihre Teile.',
    '{rate} questions a second fail.': '{rate} Anfragen je Sekunde scheitern.',
    '{seconds} s behind': '{seconds} s zurück',
    '{share} of the questions fail.': '{share} der Anfragen scheitern.',
};
