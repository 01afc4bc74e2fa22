// What goes wrong between the page and the service, in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    'A token is needed': 'Ein Token ist nötig',
    'Not allowed from here': 'Von hier aus nicht erlaubt',
    'The connection closed before the whole answer arrived.':
        'Die Verbindung brach ab, bevor die ganze Antwort da war.',
    'The service cannot answer now': 'Der Dienst kann jetzt nicht antworten',
    'The service does not answer.': 'Der Dienst antwortet nicht.',
    'The service has no such page': 'Der Dienst hat keine solche Seite',
    'The service refused the request ({status})': 'Der Dienst lehnte die Anfrage ab ({status})',
    'Too many queries at once': 'Zu viele Fragen auf einmal',
};
